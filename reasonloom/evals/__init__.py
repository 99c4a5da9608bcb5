"""Measures what the rest does: speed against floors, and later quality against references."""
