"""Steps of analyze."""
