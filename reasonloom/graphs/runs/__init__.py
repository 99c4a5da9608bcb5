"""Graphs of runs."""
