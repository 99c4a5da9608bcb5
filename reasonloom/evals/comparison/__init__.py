"""Statistical comparison of runs."""
