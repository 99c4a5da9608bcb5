"""Storage of the memory tools."""
