"""Commands for the memory tools."""
