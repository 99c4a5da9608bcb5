"""Tests of the reasoning modes."""
