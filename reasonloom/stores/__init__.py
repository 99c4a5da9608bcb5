"""The database: one aggregate per module with its SQL next to it; no layer above knows SQL."""
