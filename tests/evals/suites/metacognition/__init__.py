"""Tests of the metacognitive checks."""
