"""Poisoning: memories written to mislead, and how often recall shows them; see README.md."""
