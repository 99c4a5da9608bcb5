"""Steps of grounding claims in memories."""
