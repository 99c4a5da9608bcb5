"""Detecting what is felt."""

from __future__ import annotations

from typing import Any

from reasonloom.contracts.metacognition import DetectEmotion
from reasonloom.graphs.checks import check
from reasonloom.nodes.metacognition.answer import answer_emotion
from reasonloom.nodes.metacognition.state import emotion_input


def components(request: dict[str, Any]) -> tuple[str, ...]:
    """Return the parts that a request uses."""
    discrete = DetectEmotion.model_validate(request).include_discrete
    return ("emotionAnalyzer", *(["discreteEmotionClassifier"] if discrete else []))


GRAPH = check("detect_emotion", emotion_input, answer_emotion, components)
