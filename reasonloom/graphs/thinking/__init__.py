"""The graphs of the thinking tools."""
