"""The reasoning bench."""
