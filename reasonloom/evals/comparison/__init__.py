"""Evals of comparison."""
