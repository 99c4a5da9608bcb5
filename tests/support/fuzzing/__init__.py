"""Tests of fuzzing."""
