"""Commands for user files."""
