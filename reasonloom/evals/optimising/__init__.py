"""Finds a better text for a prompt, within a budget, and judges it on items kept apart."""
