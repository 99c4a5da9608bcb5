"""Steps of tree."""
