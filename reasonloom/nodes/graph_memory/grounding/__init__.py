"""Grounding: checks a claim against stored memories, by words and by LLM judges."""
