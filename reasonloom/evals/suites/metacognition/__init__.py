"""Evals of the metacognitive checks."""
