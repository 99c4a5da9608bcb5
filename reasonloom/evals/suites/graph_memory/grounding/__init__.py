"""Evals of grounding claims in memories."""
