"""Studio pages of graphs of thoughts."""
