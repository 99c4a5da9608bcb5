"""Tests of orchestration."""
