"""The tools as data: one module a toolset, one line a tool."""
