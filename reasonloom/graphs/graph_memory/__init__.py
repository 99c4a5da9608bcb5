"""The graphs of the graph memory's tools."""
