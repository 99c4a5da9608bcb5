"""Storage of graphs of thoughts."""
