"""A language model that looks through the lenses of the checks as the test says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reasonloom.llm.interfaces import Ask
from reasonloom.nodes.metacognition.judges import JUDGES
from reasonloom.nodes.metacognition.state import JudgeVote, PartName
from tests.support.llms.answering import AnsweringLlm, ReplyFields

FIRST: Mapping[PartName, str] = {
    "bias": "biases", "confidence": "warnings", "quality": "strengths", "emotion": "emotions",
}  # fmt: skip
"""The first property that each part's answer requires: by it a question is known."""

PART_OF: Mapping[str, PartName] = {first: part for part, first in FIRST.items()}
NO_BIAS: dict[str, Any] = {"biases": []}
CALM: dict[str, Any] = {"valence": 0.0, "arousal": 0.1, "dominance": 0.0, "emotions": []}
SOLID: dict[str, Any] = {
    "evidence_quality": 0.8, "reasoning_coherence": 0.8, "completeness": 0.8,
    "uncertainty_level": 0.2, "bias_freedom": 0.8,
    "warnings": ["The sample is old."], "recommendations": ["Count again."],
}  # fmt: skip
GOOD: dict[str, Any] = {
    "coherence": 0.8, "completeness": 0.8, "logical_validity": 0.8, "evidence_support": 0.8,
    "strengths": ["It counts."], "faults": [],
}  # fmt: skip
QUIET: Mapping[PartName, dict[str, Any]] = {
    "bias": NO_BIAS, "confidence": SOLID, "quality": GOOD, "emotion": CALM,
}  # fmt: skip


def looking(**by_lens: ReplyFields) -> AnsweringLlm:
    """Return a model whose lenses say what is given under `<part>_<lens>`, `<part>`, or little.

    Asked for all viewpoints at once it leaves out those that are given no object.
    """

    def said(ask: Ask) -> ReplyFields:
        part = PART_OF[(ask.schema or {})["required"][0]]
        of_part = by_lens.get(part, QUIET[part])
        return by_lens.get(f"{part}_{lens_of(ask)}", of_part)

    def viewed(ask: Ask) -> ReplyFields:
        item = (ask.schema or {})["properties"]["views"]["items"]["properties"]
        part = next(each for each in QUIET if {*QUIET[each]} <= {*item})
        of_part = by_lens.get(part, QUIET[part])
        if not isinstance(of_part, dict):
            return of_part
        found = {lens: by_lens.get(f"{part}_{lens}", of_part) for lens in JUDGES[part]}
        return {"views": [{"view": k, **v} for k, v in found.items() if isinstance(v, dict)]}

    return AnsweringLlm(views=viewed, **dict.fromkeys(PART_OF, said))


def lens_of(ask: Ask) -> str:
    """Return the name of the lens that a question is put through."""
    told = ask.material["lens"]
    return next(name for of in JUDGES.values() for name, words in of.items() if words == told)


def asks_of(llm: AnsweringLlm) -> list[Ask]:
    """Return all questions that were asked."""
    return [ask for asks in llm.asked.values() for ask in asks]


def bias(kind: str, quote: str, confidence: float = 0.9, severity: float = 0.5) -> dict[str, Any]:
    """Return a bias as a lens names it."""
    return {
        "type": kind, "quote": quote, "severity": severity, "confidence": confidence,
        "correction": f"Mend {kind}.",
    }  # fmt: skip


def felt(emotion: str, score: float, quote: str = "") -> dict[str, Any]:
    """Return what a lens says of a text that shows one emotion."""
    named = {"emotion": emotion, "score": score, "quote": quote}
    return {"valence": 0.5, "arousal": 0.5, "dominance": 0.5, "emotions": [named]}


def votes(part: PartName, *said: dict[str, Any] | None) -> list[JudgeVote]:
    """Return the votes of a part's lenses, in their order."""
    return [JudgeVote(part=part, lens=lens, said=each) for lens, each in zip(JUDGES[part], said)]  # noqa: B905
