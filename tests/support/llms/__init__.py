"""Tests of llms."""
