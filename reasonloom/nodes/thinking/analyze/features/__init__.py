"""Textual features that indicate a framework."""
