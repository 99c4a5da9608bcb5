"""Tests of conversation history."""
