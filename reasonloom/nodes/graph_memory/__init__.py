"""Nodes of the graph memory tools."""
