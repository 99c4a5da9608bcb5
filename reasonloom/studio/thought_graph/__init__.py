"""Studio pages of Graphs of Thoughts."""
