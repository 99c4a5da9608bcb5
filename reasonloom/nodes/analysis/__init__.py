"""Analysing by a framework: which one fits, its steps, and what they come to together."""
