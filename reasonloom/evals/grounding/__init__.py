"""A labelled set of claims about stored memories, by which grounding is judged."""
