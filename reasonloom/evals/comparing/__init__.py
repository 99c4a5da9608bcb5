"""Compares runs item by item: differences with intervals, tests, flips, costs and prompts."""
