"""Evals of server."""
