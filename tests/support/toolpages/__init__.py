"""Tests of toolpages."""
