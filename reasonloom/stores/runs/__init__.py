"""Storage of runs."""
