"""Fixed methods of taking a problem apart, for one whose own words show no parts.

Without a language model nobody knows what its parts are; a method says at least how to come by
them. Each is named in the answer, and filled with the problem's own words.
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


LONGEST = 160
"""Characters of the problem that a step of a method quotes."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method: the words by which a problem calls for it, and its steps, each after the last."""

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
"""The first whose cue a problem says is taken; the last takes all the rest."""


def method_for(problem: str) -> tuple[Method, list[str]]:
    """Return the method that a problem calls for, and its steps in the problem's words."""
    method = next(each for each in METHODS if each.cue.search(problem))
    it = shortened(problem.strip(), LONGEST).rstrip(" .!?\u3002\uff01\uff1f")
    return method, [step.format(it=it) for step in method.steps]


BY_WORDS, BY_METHOD = 0.3, 0.1
"""How sure a division is: by the problem's words, by a method that fits any problem."""

CHECK_ONE = "See that it holds: {said}"
CHECK_ALL = "See that these hold: {said}"
NO_PARTS = "its words show no parts"
NO_WORDS = "it has no words"
OF_METHOD = "a step of a fixed method"
OF_CONTEXT = "what the context demands"


def split_offline(problem: Problem, request: Breakdown) -> Split:
    """Return the parts that a problem's own words show; of the whole, else those of a method.

    What the context demands is one more part of the whole, after all the others.
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
    form = CHECK_ONE if len(held) == 1 else CHECK_ALL
    return form.format(said="; ".join(held)) if held else ""


def _with_check(split: Split, held: str) -> Split:
    last = len(split["parts"])
    after = [_link(at, last, OF_CONTEXT) for at in range(last)]
    check = {"text": held, "why": OF_CONTEXT}
    return {**split, "parts": [*split["parts"], check], "links": [*split["links"], *after]}


def _link(before: int, after: int, why: str) -> dict[str, Any]:
    return {"before": before, "after": after, "type": "needs", "certainty": 1.0, "why": why}
