"""Basins: clusters of an owner's memories."""
