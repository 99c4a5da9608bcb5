"""Steps of reflection."""
