"""Assesses how reliable reasoning is: five dimensions, claims and warnings."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, median
from types import MappingProxyType
from typing import Any

from reasonloom.nodes.judging.joining import group_texts
from reasonloom.nodes.metacognition.bias import measure_bias
from reasonloom.nodes.metacognition.judges import band_of, distinct_texts
from reasonloom.nodes.metacognition.quality import SIDES, measure_quality, sides_of
from reasonloom.nodes.metacognition.state import JudgeVote, Measurements, PartName
from reasonloom.nodes.metacognition.text_analysis import TextAnalysis

WEIGHTS: Mapping[str, float] = {
    "evidence_quality": 0.3,
    "reasoning_coherence": 0.3,
    "completeness": 0.15,
    "uncertainty_level": 0.15,
    "bias_freedom": 0.1,
}
UNJUDGED = 0.8
"""Factor on confidence if no lens has judged, only rules and a classifier."""

WARNED = 0.5
"""Minimum confidence of a bias to add a warning."""

DIMENSION_LABELS = {
    "evidence_quality": "what shows it",
    "reasoning_coherence": "how its parts fit each other",
    "completeness": "what it leaves out",
    "uncertainty_level": "how uncertain it is",
    "bias_freedom": "a bias",
}


async def measure_confidence(read: TextAnalysis, done: Measurements) -> dict[str, Any]:
    """Return the five dimensions, the claims with their support, and warnings."""
    argument, sides = read.argument, sides_of(read)
    quality = done.get("quality") or await measure_quality(read, done)
    biases = done.get("bias") or await measure_bias(read, done)
    loose = fmean([1 - claim.support for claim in argument.claims]) if argument.claims else 1.0
    dimensions = {
        "evidence_quality": fmean([sides["evidence_support"], sides["logical_validity"]]),
        "reasoning_coherence": fmean([sides["coherence"], sides["logical_validity"]]),
        "completeness": sides["completeness"],
        "uncertainty_level": 0.5 * argument.hedged + 0.5 * loose,
        "bias_freedom": 1 - max(biases["shares"].values(), default=0.5),
    }
    seen = [
        f"It looks like {each['type']}: “{each['spans'][0]['text']}”"
        for each in biases["found"]
        if each["confidence"] >= WARNED
    ]
    return {
        "dimensions": {name: round(value, 4) for name, value in dimensions.items()},
        "claims": [claim.wire() for claim in argument.claims],
        "warnings": distinct_texts([*seen, *quality["weaknesses"]]),
        "recommendations": quality["recommendations"],
    }


def merge_confidence(measured: dict[str, Any], votes: Sequence[JudgeVote]) -> dict[str, Any]:
    """Return the confidence: the lenses' median, or the computed values if no lens replied.

    `overall_confidence` is the weighted sum of the dimensions, with 1 - uncertainty, times 0.8 if
    no lens replied.
    """
    heard = [vote["said"] for vote in votes if vote["said"] is not None]
    dimensions = measured["dimensions"]
    warnings, recommendations = measured["warnings"], measured["recommendations"]
    if heard:
        dimensions = {name: round(median(answer[name] for answer in heard), 4) for name in WEIGHTS}
        warnings = distinct_texts([*_joined(heard, "warnings"), *warnings])
        recommendations = distinct_texts([*_joined(heard, "recommendations"), *recommendations])
    whole = overall(dimensions) * (1 if heard else UNJUDGED)
    return {
        "overall_confidence": round(whole, 4),
        "dimensions": dimensions,
        "interpretation": _interpretation(whole, dimensions, judged=bool(heard)),
        "warnings": warnings,
        "recommendations": recommendations,
        "claims": measured["claims"],
    }


def _joined(heard: Sequence[dict[str, Any]], name: str) -> list[str]:
    """Return the lenses' texts in a field, deduplicated, most frequent first."""
    return [group[0] for group in group_texts(text for answer in heard for text in answer[name])]


def overall(dimensions: Mapping[str, float]) -> float:
    """Return the weighted sum of the dimensions, 0..1."""
    return sum(WEIGHTS[name] * _good(name, value) for name, value in dimensions.items())


def _good(name: str, value: float) -> float:
    return 1 - value if name == "uncertainty_level" else value


def _interpretation(whole: float, dimensions: Mapping[str, float], *, judged: bool) -> str:
    band = band_of(whole).capitalize()
    weakest = min(dimensions, key=lambda name: _good(name, dimensions[name]))
    by = "" if judged else ", by its words and structure alone"
    label = DIMENSION_LABELS[weakest]
    return f"{band} confidence{by} - weakest is {label} ({dimensions[weakest]:.2f})"


NUMBERS: Mapping[PartName, Callable[[dict[str, Any]], dict[str, float]]] = MappingProxyType(
    {
        "bias": lambda answer: {each["type"]: each["confidence"] for each in answer["biases"]},
        "confidence": lambda answer: {name: answer[name] for name in WEIGHTS},
        "quality": lambda answer: {name: answer[name] for name in SIDES},
        "emotion": lambda answer: {each["emotion"]: each["score"] for each in answer["emotions"]},
    }
)
"""The named values, 0..1, of a lens's reply that are compared with those of other lenses."""


def judge_agreement(votes: Sequence[JudgeVote]) -> float | None:
    """Return the mean agreement, 0..1, of all pairs of lenses that judged the same part.

    The agreement of a pair is 1 - the mean absolute difference of their values, a missing value
    counting as 0; it is 1 if neither has any. None if no part has two replies.
    """
    heard = [vote for vote in votes if vote["said"] is not None]
    pairs = [pair for pair in combinations(heard, 2) if pair[0]["part"] == pair[1]["part"]]
    return round(fmean(_of(*pair) for pair in pairs), 3) if pairs else None


def _of(one: JudgeVote, other: JudgeVote) -> float:
    ours, theirs = (NUMBERS[vote["part"]](vote["said"] or {}) for vote in (one, other))
    names = {**ours, **theirs}
    differ = [abs(ours.get(name, 0.0) - theirs.get(name, 0.0)) for name in names]
    return 1 - fmean(differ) if differ else 1.0
