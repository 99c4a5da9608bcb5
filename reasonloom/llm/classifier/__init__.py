"""A small transformer, taught to read short English texts; it comes inside the package."""

from reasonloom.llm.classifier.classifier import Scores, classify

__all__ = ["Scores", "classify"]
