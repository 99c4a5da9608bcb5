"""Splits a problem without a language model, if its own words allow it."""

from typing import Any

from reasonloom.contracts.thinking.breakdown import Breakdown
from reasonloom.nodes.offline import OPEN_QUESTION, open_question
from reasonloom.nodes.thinking.breakdown.state import ROOT, Problem, Split
from reasonloom.nodes.thinking.breakdown.text_division import MOST_PARTS, divide_text
from reasonloom.text.words import words_in

BY_WORDS = 0.3
"""Confidence of a split by words."""

PARTS = "Which parts does it have, and in which order?"
NO_PARTS = "its words show no parts"
NO_WORDS = "it has no words"
OF_CONTEXT = "what the context demands"


def split_offline(problem: Problem, request: Breakdown) -> Split:
    """Split a problem by its own words; an indivisible root becomes an open question.

    The context's constraints become an additional part of a divided root, after all others.
    """
    if not words_in(problem["text"]):
        return Split(id=problem["id"], reason="indivisible", why=NO_WORDS, sure=0.0)
    held = _constraints(request) if problem["id"] == ROOT else ""
    division = divide_text(problem["text"], MOST_PARTS - 1 if held else MOST_PARTS)
    if division is None and problem["id"] == ROOT:
        question = open_question(PARTS, problem["text"])
        return Split(
            id=problem["id"], reason="indivisible", kind=OPEN_QUESTION, why=question, sure=0.0
        )
    if division is None:
        return Split(id=problem["id"], reason="indivisible", why=NO_PARTS)
    parts = [{"text": each} for each in division.parts]
    links = [_link(one, other, f"by {division.by}") for one, other in division.order]
    if held:
        links += [_link(at, len(parts), OF_CONTEXT) for at in range(len(parts))]
        parts.append({"text": held, "why": OF_CONTEXT})
    return Split(
        id=problem["id"],
        parts=parts,
        links=links,
        split_by="words",
        why=f"divided by {division.by}",
        sure=BY_WORDS,
    )


def _constraints(request: Breakdown) -> str:
    return "; ".join((request.context.constraints if request.context else None) or [])


def _link(before: int, after: int, why: str) -> dict[str, Any]:
    return {"before": before, "after": after, "type": "needs", "certainty": 1.0, "why": why}
