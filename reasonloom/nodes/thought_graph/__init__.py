"""Steps of the Graph of Thoughts tools."""
