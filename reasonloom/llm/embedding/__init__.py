"""Embedders: texts in, unit vectors out, each with its own floor of meaningful similarity."""
