"""Evals of poisoning."""
