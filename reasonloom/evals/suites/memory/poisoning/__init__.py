"""Evals of memory poisoning."""
