"""Evals of graph memory."""
