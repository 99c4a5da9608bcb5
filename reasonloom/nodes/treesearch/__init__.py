"""Searches a tree of thoughts: a step machine over plain data; see docs/treesearch.md."""
