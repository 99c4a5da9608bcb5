"""The frameworks of `analyze` and their steps."""
