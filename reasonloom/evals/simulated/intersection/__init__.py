"""Intersecting two sets of numbers, a published task of Graph of Thoughts."""
