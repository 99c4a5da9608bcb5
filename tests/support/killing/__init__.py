"""Tests of killing."""
