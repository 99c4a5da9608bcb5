"""Graph nodes of mental models and basins."""
