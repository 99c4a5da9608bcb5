"""Spaces of other owners: who may use them, and what was done there."""
