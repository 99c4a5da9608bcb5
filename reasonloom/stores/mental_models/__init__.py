"""Storage of mental models and basins."""
