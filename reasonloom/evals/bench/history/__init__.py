"""Benchmarks of conversation history."""
