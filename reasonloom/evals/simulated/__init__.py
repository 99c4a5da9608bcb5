"""Scripted, noisy language models, for evaluating how calls are orchestrated, not reasoning."""
