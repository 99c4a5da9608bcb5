"""Steps of features."""
