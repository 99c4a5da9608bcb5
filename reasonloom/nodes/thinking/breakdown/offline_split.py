"""Fixed methods of taking a problem apart, for one whose own words show no parts.

Without a language model nobody knows what its parts are; a method says at least how to come by
them. Each is named in the answer, and filled with the problem's own words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reasonloom.nodes.sessions.picture import shortened

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
