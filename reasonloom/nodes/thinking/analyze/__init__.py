"""Nodes of `analyze`."""
