"""Studio pages of mental models and basins."""
