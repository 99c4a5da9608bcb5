"""Tests of basins."""
