"""Workspaces: sets of memory files that are searched and compared together."""
