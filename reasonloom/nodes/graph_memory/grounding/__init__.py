"""Grounding: whether stored memories bear out a claim, by words and by judges."""
