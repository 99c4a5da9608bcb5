"""Evals of orchestration."""
