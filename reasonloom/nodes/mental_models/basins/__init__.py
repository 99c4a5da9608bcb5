"""Steps of basins."""
