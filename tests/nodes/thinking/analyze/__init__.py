"""Tests of analyze."""
