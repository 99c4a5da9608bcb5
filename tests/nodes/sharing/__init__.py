"""Tests of shared spaces."""
