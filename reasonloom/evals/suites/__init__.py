"""Evals of suites."""
