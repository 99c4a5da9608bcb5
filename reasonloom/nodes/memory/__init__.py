"""Graph nodes of the memory tools."""
