"""Requests and answers of mental models and basins."""
