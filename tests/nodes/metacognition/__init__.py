"""Tests of the checks' parts."""
