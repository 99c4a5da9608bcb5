"""Embedders: texts in, unit vectors out, each with the likeness below which it means nothing."""
