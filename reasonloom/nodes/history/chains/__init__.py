"""Steps of chains."""
