"""Tests of optimization."""
