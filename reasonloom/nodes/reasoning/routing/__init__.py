"""Steps of routing."""
