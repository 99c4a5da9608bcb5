"""The contracts of graph memory, a module for each family of tools."""
