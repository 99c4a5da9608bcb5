"""Tests of the memory tools."""
