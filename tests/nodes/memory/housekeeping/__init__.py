"""Tests of housekeeping."""
