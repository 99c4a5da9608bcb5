"""The graphs of the graph memory tools."""
