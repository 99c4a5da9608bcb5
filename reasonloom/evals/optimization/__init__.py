"""Evals of optimization."""
