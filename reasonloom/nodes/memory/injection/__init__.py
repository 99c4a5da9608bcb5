"""Steps of injection."""
