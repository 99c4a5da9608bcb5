"""Basins: clusters of memories, their names, how they stand to each other, and what they add."""
