"""A small transformer, taught to read short English texts; it comes inside the package."""

from reasonloom.llm.classifier.classifier import (
    Entailment,
    Scores,
    answers,
    classify,
    entail,
    replaces,
)

__all__ = ["Entailment", "Scores", "answers", "classify", "entail", "replaces"]
