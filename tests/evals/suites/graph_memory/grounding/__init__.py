"""Tests of grounding claims in memories."""
