"""Steps of the reasoning modes."""
