"""Steps of frameworks."""
