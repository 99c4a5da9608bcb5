"""Steps of the memory tools."""
