"""Evaluating the quality of reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from reasonloom.graphs.checks import check
from reasonloom.nodes.metacognition.answer import answer_evaluation
from reasonloom.nodes.metacognition.state import PartName, evaluation_input

NAMES: Mapping[PartName, tuple[str, ...]] = MappingProxyType(
    {
        "quality": ("reasoningEvaluator",),
        "confidence": ("confidenceAssessor",),
        "bias": ("biasDetector",),
        "emotion": ("emotionAnalyzer", "discreteEmotionClassifier"),
    }
)


def components(request: dict[str, Any]) -> tuple[str, ...]:
    """Return the parts that a request includes."""
    return tuple(name for part in evaluation_input(request)["parts"] for name in NAMES[part])


GRAPH = check("evaluate", evaluation_input, answer_evaluation, components)
