"""Studio pages of the memory tools."""
