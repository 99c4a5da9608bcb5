"""Workspaces: files of memories, searched and compared together."""
