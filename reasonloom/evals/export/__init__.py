"""Evals of export."""
