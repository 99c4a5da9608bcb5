"""Requests and answers of graphs of thoughts."""
