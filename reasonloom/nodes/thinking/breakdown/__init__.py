"""Nodes of `breakdown`."""
