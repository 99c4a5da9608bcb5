"""Steps of divergent reasoning."""
