"""Storage of graph memory."""
