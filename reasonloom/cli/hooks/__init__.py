"""Commands for hooks."""
