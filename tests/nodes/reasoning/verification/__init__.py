"""Tests of the checks of what an answer states."""
