"""A small transformer, taught to read short English texts; it comes inside the package."""

from reasonloom.llm.classifier.classifier import classify
from reasonloom.llm.classifier.scores import Scores

__all__ = ["Scores", "classify"]
