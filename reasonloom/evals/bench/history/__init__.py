"""Evals of conversation history."""
