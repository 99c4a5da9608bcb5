"""Reads the request of each check into what all checks are given."""

from __future__ import annotations

from typing import Any

from reasonloom.contracts.metacognition import (
    AssessConfidence,
    DetectBias,
    DetectEmotion,
    Evaluate,
)
from reasonloom.nodes.metacognition.state import Given, PartName


def of_confidence(request: dict[str, Any]) -> Given:
    """Return what `assess_confidence` is given."""
    asked = AssessConfidence.model_validate(request)
    return _given(asked.reasoning, asked.context, ["confidence"], asked.evidence)


def of_bias(request: dict[str, Any]) -> Given:
    """Return what `detect_bias` is given."""
    asked = DetectBias.model_validate(request)
    return _given(asked.reasoning, asked.context, ["bias"])


def of_emotion(request: dict[str, Any]) -> Given:
    """Return what `detect_emotion` is given."""
    asked = DetectEmotion.model_validate(request)
    return _given(asked.text, asked.context, ["emotion"])


def of_evaluation(request: dict[str, Any]) -> Given:
    """Return what `evaluate` is given: quality, and the parts that are to be included."""
    asked = Evaluate.model_validate(request)
    parts: list[PartName] = ["quality"]
    parts += ["confidence"] if asked.include_confidence else []
    parts += ["bias"] if asked.include_bias else []
    parts += ["emotion"] if asked.include_emotion else []
    return _given(asked.reasoning, asked.context, parts)


def _given(
    text: str, context: str | None, parts: list[PartName], evidence: list[str] | None = None
) -> Given:
    return Given(text=text, evidence=evidence or [], context=context or "", parts=parts)
