"""Workspaces: memory files in a folder, read, searched and compared together."""
