"""Steps of graphs of thoughts."""
