"""Tests of questions to the user."""
