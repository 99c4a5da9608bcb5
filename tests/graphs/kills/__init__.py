"""Tests of kills."""
