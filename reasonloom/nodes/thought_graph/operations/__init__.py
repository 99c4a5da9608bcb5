"""Steps of operations."""
