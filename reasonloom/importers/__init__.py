"""Readers of other programs' memories, and of memories exported as Markdown."""
