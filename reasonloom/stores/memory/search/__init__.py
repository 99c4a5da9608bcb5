"""Storage of search."""
