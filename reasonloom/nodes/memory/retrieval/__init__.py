"""Steps of retrieval."""
