"""Splits a problem without a language model: by its own words, else by a fixed method.

A method says at least how to find the parts. The answer names it, and its steps quote the problem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasonloom.nodes.thinking.breakdown.dependencies import SURE
from reasonloom.nodes.thinking.breakdown.state import ROOT, Split
from reasonloom.nodes.thinking.breakdown.text_division import MOST_PARTS, divide_text
from reasonloom.text.shortening import shortened
from reasonloom.text.words import words_in

if TYPE_CHECKING:
    from reasonloom.contracts.thinking.breakdown import Breakdown
    from reasonloom.nodes.thinking.breakdown.state import Problem


LONGEST_QUOTE = 160


@dataclass(frozen=True, slots=True)
class Method:
    """A method: the words that suggest it, and its steps in order."""

    name: str
    cue: re.Pattern[str]
    steps: tuple[str, ...]


def _cue(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.I)


METHODS = (
    Method(
        "diagnosis",
        _cue(
            r"why|causes?|broken|fail\w*|errors?|bugs?|crash\w*|warum|wieso|weshalb|fehler"
            r"|pourquoi|por qu\u00e9"
        ),
        (
            "Say exactly what is seen, and when, in \u201c{it}\u201d",
            "List what could cause \u201c{it}\u201d",
            "Find for each cause of \u201c{it}\u201d what would rule it out, and look",
        ),
    ),
    Method(
        "choice",
        _cue(
            r"which|whether|choose|decide|versus|vs|should|better|or|welche\w*|ob|oder"
            r"|quel(?:le)?s?|cu\u00e1l(?:es)?"
        ),
        (
            "List the options that \u201c{it}\u201d leaves open",
            "Say what counts in \u201c{it}\u201d, and how much",
            "Hold each option against what counts, and decide \u201c{it}\u201d",
        ),
    ),
    Method(
        "inquiry",
        _cue(
            r"what|who|when|where|how (?:many|much|long|far|does|do|is|are)|wer|wann|wo|quand"
            r"|o\u00f9|qui\u00e9n|cu\u00e1ndo|d\u00f3nde"
        ),
        (
            "Say what an answer to \u201c{it}\u201d must contain",
            "Find where the answer to \u201c{it}\u201d can be looked up or measured",
            "Check the answer to \u201c{it}\u201d by a second way",
        ),
    ),
    Method(
        "means and ends",
        re.compile(""),
        (
            "Say by what one will see that this is done: \u201c{it}\u201d",
            "List what \u201c{it}\u201d needs, and what of it is missing",
            "Take the first step of \u201c{it}\u201d that can be checked",
        ),
    ),
)
"""The first whose cue matches is used; the last matches everything."""


def method_for(problem: str) -> tuple[Method, list[str]]:
    """Return the method for a problem, and its steps in the problem's words."""
    method = next(each for each in METHODS if each.cue.search(problem))
    it = shortened(problem.strip(), LONGEST_QUOTE).rstrip(" .!?\u3002\uff01\uff1f")
    return method, [step.format(it=it) for step in method.steps]


BY_WORDS, BY_METHOD = 0.3, 0.1
"""Confidence of a split by the problem's words, and by a method."""

CHECK_ONE = "See that it holds: {said}"
CHECK_ALL = "See that these hold: {said}"
NO_PARTS = "its words show no parts"
NO_WORDS = "it has no words"
OF_METHOD = "a step of a fixed method"
OF_CONTEXT = "what the context demands"


def split_offline(problem: Problem, request: Breakdown) -> Split:
    """Return the parts that a problem's own words show, or for the root those of a method.

    The context's constraints are one more part of the root, after all others.
    """
    if not words_in(problem["text"]):
        return Split(id=problem["id"], reason="indivisible", why=NO_WORDS, sure=0.0)
    held = _constraints(request) if problem["id"] == ROOT else ""
    division = divide_text(problem["text"], MOST_PARTS - 1 if held else MOST_PARTS)
    if division:
        split = _split(problem, division.parts, division.order, division.by)
    elif problem["id"] == ROOT:
        split = _by_method(problem)
    else:
        return Split(id=problem["id"], reason="indivisible", why=NO_PARTS)
    if held:
        last = len(split["parts"])
        split["parts"].append({"text": held, "why": OF_CONTEXT})
        split["links"] += [_link(at, last, OF_CONTEXT) for at in range(last)]
    return split


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
    form = CHECK_ONE if len(held) == 1 else CHECK_ALL
    return form.format(said="; ".join(held)) if held else ""


def _link(before: int, after: int, why: str) -> dict[str, Any]:
    return {"before": before, "after": after, "type": "needs", "certainty": 1.0, "why": why}
