"""The tools as data: one module per toolset, one line per tool."""
