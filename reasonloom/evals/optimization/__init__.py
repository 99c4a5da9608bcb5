"""Prompt optimisation."""
