"""Steps of reading."""
