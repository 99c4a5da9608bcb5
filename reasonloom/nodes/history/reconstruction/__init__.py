"""Reconstruction of a session or a time span of past conversations."""
