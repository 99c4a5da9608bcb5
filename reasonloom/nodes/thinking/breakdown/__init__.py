"""Steps of breakdown."""
