"""A step without a language model: which of the caller's sentences answer its questions.

Nobody analyses here. A sentence answers a question where it has one of the words by which such
an answer is given (`plain_cues`); what no sentence answers is told as not given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from textwrap import shorten
from typing import Any

from reasonloom.nodes.memory.retrieval.scoring import QUESTION_MARKS
from reasonloom.nodes.thinking.analyze.frameworks.framework import Asked, Step
from reasonloom.nodes.thinking.analyze.offline import CUES
from reasonloom.nodes.thinking.arithmetic import sums_in
from reasonloom.nodes.thinking.offline import LOWERED
from reasonloom.nodes.thinking.state import Brief
from reasonloom.text.extraction import sentences_in

MOST_QUOTED = 2
"""Sentences that are told with one question."""

MOST_READ = 10_000
"""Characters of problem and background that are read."""

LONGEST = 240
NOT_GIVEN = "Not given."
CONCLUDED = "On “{problem}”, by {names}, what is given: {given}"
OPEN = "Not given, and to be found out: {open}"
NOBODY = "Nothing given answers any of its questions."
MOST_GIVEN, MOST_OPEN = 3, 4
GIVEN_AS: Mapping[str, str] = {"goal": "goals", "limit": "constraints"}
"""Cues of which the context itself says what answers them."""

ASKED_TOO = frozenset({"failure", "goal", "option", "future"})
"""Cues of which a question can tell something too: what goes wrong, what is wanted."""


def plain_step(
    brief: Brief, memories: Sequence[Mapping[str, Any]], step: Step, told: Collection[str]
) -> dict[str, Any]:
    """Return what is given on a step's questions, and which of them nothing answers.

    Of sentences that answer equally well, one that is not `told` yet comes first.
    """
    sentences = _sentences(brief, memories)
    found = [(each, _answers(brief, sentences, each, told)) for each in step.questions]
    said = [
        f"{each.text} {' '.join(f'“{one}”' for one in answers) or NOT_GIVEN}"
        for each, answers in found
    ]
    own = {_short(each) for each in sentences_in(brief["problem"])}
    answered = [each for each, answers in found if answers]
    return {
        "output": " ".join(said),
        "insights": [
            f"{each.text} {one}" for each, answers in found for one in answers if one not in own
        ][:MOST_QUOTED],
        "given": list(dict.fromkeys(one for _, answers in found for one in answers)),
        "open": [each.text for each, answers in found if not answers],
        "confidence": round(LOWERED * len(answered) / len(found), 4),
    }


def _sentences(brief: Brief, memories: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the sentences of background, memories and problem, each once."""
    texts = [brief["background"][:MOST_READ], *(str(each["content"]) for each in memories)]
    texts.append(brief["problem"][:MOST_READ])
    return list(dict.fromkeys(one for text in texts for one in sentences_in(text)))


def _answers(
    brief: Brief, sentences: Sequence[str], question: Asked, told: Collection[str]
) -> list[str]:
    """Return the sentences that answer a question, the most telling first."""
    given: list[str] = []
    if question.cue in GIVEN_AS:
        given = brief[GIVEN_AS[question.cue]]  # type: ignore[literal-required]
    cue = CUES[question.cue]
    hits = {
        one: len({hit[0].casefold() for hit in cue.finditer(one)})
        for one in sentences
        if question.cue in ASKED_TOO or not one.endswith(QUESTION_MARKS)
    }
    best = sorted(
        (one for one in hits if hits[one]), key=lambda one: (_short(one) in told, -hits[one])
    )
    return [_short(each) for each in dict.fromkeys([*given, *best])][:MOST_QUOTED]


def plain_conclusion(names: str, done: Sequence[Mapping[str, Any]], problem: str) -> str:
    """Return what the steps have found given, and what not; nothing follows from it by itself."""
    given = list(dict.fromkeys(one for each in done for one in each["given"]))[:MOST_GIVEN]
    lacking = list(dict.fromkeys(one for each in done for one in each["open"]))[:MOST_OPEN]
    said = [f"{each}." for each in sums_in(problem)]
    quoted = " ".join(f"“{each}”" for each in given)
    asked = shorten(problem, LONGEST, placeholder=" …")
    said.append(CONCLUDED.format(problem=asked, names=names, given=quoted or NOBODY))
    if lacking:
        said.append(OPEN.format(open=" ".join(lacking)))
    return " ".join(said)


def _short(text: str) -> str:
    return shorten(text, LONGEST, placeholder=" …")
