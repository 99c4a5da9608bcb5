"""Tests of graphs of thoughts."""
