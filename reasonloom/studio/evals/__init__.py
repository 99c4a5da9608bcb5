"""Studio pages of evals."""
