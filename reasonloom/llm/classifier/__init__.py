"""A small transformer, packaged with the library, fine-tuned to classify short English texts."""

from reasonloom.llm.classifier.classifier import (
    Entailment,
    Scores,
    answers,
    classify,
    entail,
    replaces,
)

__all__ = ["Entailment", "Scores", "answers", "classify", "entail", "replaces"]
