"""Studio pages of runs."""
