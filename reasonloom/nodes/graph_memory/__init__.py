"""The steps of graph memory: a module for each tool, and what they share."""
