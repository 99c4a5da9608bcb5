"""Steps of mental models and basins."""
