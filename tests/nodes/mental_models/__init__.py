"""Tests of mental models and basins."""
