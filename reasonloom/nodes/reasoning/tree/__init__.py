"""Steps of tree reasoning."""
