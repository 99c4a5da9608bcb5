"""Evals of bench."""
