"""Steps of the graph memory tools."""
