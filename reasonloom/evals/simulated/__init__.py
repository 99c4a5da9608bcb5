"""Scripted, noisy language models: they measure how calls are arranged, not reasoning."""
