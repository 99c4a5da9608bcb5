"""Evals of the memory tools."""
