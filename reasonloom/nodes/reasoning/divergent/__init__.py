"""Steps of divergent."""
