"""Evals of the reasoning modes."""
