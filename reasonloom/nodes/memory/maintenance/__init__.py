"""Steps of maintenance."""
