"""Tests of think, ponder, analyze and breakdown."""
