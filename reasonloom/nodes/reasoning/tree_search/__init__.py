"""Steps of tree search."""
