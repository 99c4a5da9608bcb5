"""Divides one problem without a language model: by its own words, or by a method that is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reasonloom.nodes.thinking.breakdown.dependencies import SURE
from reasonloom.nodes.thinking.breakdown.offline_split import method_for
from reasonloom.nodes.thinking.breakdown.state import ROOT, Split
from reasonloom.nodes.thinking.breakdown.text_division import MOST_PARTS, divided
from reasonloom.text.extraction import words_in

if TYPE_CHECKING:
    from reasonloom.contracts.thinking.breakdown import Breakdown
    from reasonloom.nodes.thinking.breakdown.state import Problem

BY_WORDS, BY_METHOD = 0.3, 0.1
"""How sure a division is: by the problem's words, by a method that fits any problem."""

HOLDS = "See that it holds: {said}"
HOLD = "See that these hold: {said}"
NO_PARTS = "its words show no parts"
NO_WORDS = "it has no words"
OF_METHOD = "a step of a fixed method"
OF_CONTEXT = "what the context demands"


def split_by_words(problem: Problem, request: Breakdown) -> Split:
    """Return the parts that a problem's own words show; of the whole, else those of a method.

    What the context demands is one more part of the whole, after all the others.
    """
    if not words_in(problem["text"]):
        return Split(id=problem["id"], reason="indivisible", why=NO_WORDS, sure=0.0)
    held = _constraints(request) if problem["id"] == ROOT else ""
    division = divided(problem["text"], MOST_PARTS - 1 if held else MOST_PARTS)
    if division:
        split = _split(problem, division.parts, division.order, division.by)
    elif problem["id"] == ROOT:
        split = _by_method(problem)
    else:
        return Split(id=problem["id"], reason="indivisible", why=NO_PARTS)
    return _with_check(split, held) if held else split


def _split(
    problem: Problem, parts: Sequence[str], order: Sequence[tuple[int, int]], by: str
) -> Split:
    return Split(
        id=problem["id"],
        parts=[{"text": each} for each in parts],
        links=[_link(one, other, f"by {by}") for one, other in order],
        split_by="words",
        why=f"divided by {by}",
        sure=BY_WORDS,
    )


def _by_method(problem: Problem) -> Split:
    method, steps = method_for(problem["text"])
    order = [(at, at + 1) for at in range(len(steps) - 1)]
    split = _split(problem, steps, order, f"the method {method.name}")
    for part in split["parts"]:
        part["why"] = OF_METHOD
    for link in split["links"]:
        link["certainty"] = SURE
    return {**split, "split_by": "method", "method": method.name, "sure": BY_METHOD}


def _constraints(request: Breakdown) -> str:
    held = (request.context.constraints if request.context else None) or []
    form = HOLDS if len(held) == 1 else HOLD
    return form.format(said="; ".join(held)) if held else ""


def _with_check(split: Split, held: str) -> Split:
    last = len(split["parts"])
    after = [_link(at, last, OF_CONTEXT) for at in range(last)]
    check = {"text": held, "why": OF_CONTEXT}
    return {**split, "parts": [*split["parts"], check], "links": [*split["links"], *after]}


def _link(before: int, after: int, why: str) -> dict[str, Any]:
    return {"before": before, "after": after, "type": "needs", "certainty": 1.0, "why": why}
