"""Evals of mental models and basins."""
