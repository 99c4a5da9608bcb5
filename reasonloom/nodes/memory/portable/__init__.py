"""Steps of portable."""
