"""Tests of graph memory."""
