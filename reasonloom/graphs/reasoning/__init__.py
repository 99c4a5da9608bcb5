"""The graphs of the reasoning tools."""
