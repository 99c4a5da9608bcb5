"""Commands for evals."""
