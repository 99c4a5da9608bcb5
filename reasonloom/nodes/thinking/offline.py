"""A stream without a language model: extracts of what is given, and what words alone can tell.

Nothing here thinks. Each stream says what its questions find in the caller's own sentences, in
whatever language these are; how the sentences are taken apart is `text/extraction.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from textwrap import shorten
from types import MappingProxyType
from typing import Any

from reasonloom.nodes.reasoning.tree.offline_approaches import WAYS, telling_words
from reasonloom.nodes.thinking.arithmetic import sums_in
from reasonloom.nodes.thinking.state import Brief
from reasonloom.text.contradiction import GERMAN, contradiction
from reasonloom.text.extraction import Findings, as_prose, sentences_in, words_in

MOST = 3
"""Insights of one stream."""

MOST_HELD = 24
"""Sentences that are held against each other, the first ones."""

LONGEST = 240
LOWERED = 0.5
"""What a confidence is worth where nobody has thought: that of an extract is halved."""

RECKONED = 0.99
SURE, LIKELY, VAGUE = 0.5, 0.4, 0.2
"""How sure an extract is: it stands there; words show it; a known method that may not fit."""


@dataclass(slots=True)
class Found:
    """What a stream finds: insights (text, importance, confidence), and advice (what, why)."""

    conclusion: str
    insights: list[tuple[str, float, float]]
    reasoning: list[str]
    advice: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Given:
    """What is given: the brief, what is known of the problem, and the words nothing speaks of."""

    brief: Brief
    findings: Findings
    words: str
    unknown: str


def plain(brief: Brief, memories: Sequence[dict[str, Any]], stream: str) -> dict[str, Any]:
    """Return what a stream can say of the problem without a language model."""
    given = _given(brief, memories)
    found = _STREAMS[stream](given)
    return {
        "reasoning": found.reasoning,
        "reactions": [],
        "insights": [
            {"content": text, "importance": round(importance, 4), "confidence": confidence}
            for text, importance, confidence in found.insights[:MOST]
        ],
        "conclusion": found.conclusion,
        "confidence": round(given.findings.support * LOWERED, 4),
        "advice": found.advice,
    }


def _given(brief: Brief, memories: Sequence[dict[str, Any]]) -> Given:
    findings = Findings.of(
        {"problem": brief["problem"], "background": brief["background"], "memories": memories}
    )
    said = {word for each in findings.known for word in words_in(each)}
    left = [word for word in dict.fromkeys(_telling(brief["problem"])) if word not in said]
    return Given(brief, findings, telling_words(brief["problem"]), ", ".join(left[:6]))


def _telling(text: str) -> list[str]:
    return [word for word in words_in(text) if word not in GERMAN]


def _short(text: str) -> str:
    return shorten(text, LONGEST, placeholder=" …")


def _analytical(given: Given) -> Found:
    """Say what can be reckoned, what is known of the problem, and of what nothing is known."""
    sums = [f"{each}." for each in sums_in(given.brief["problem"])]
    ranked = [_short(each) for each in given.findings.ranked[:MOST]]
    asked = given.findings.asked
    insights = [(each, 0.9, RECKONED) for each in sums]
    insights += [
        (each, max(0.1, len(asked.intersection(words_in(each))) / len(asked)), SURE)
        for each in ranked
    ]
    if given.unknown:
        insights.append((f"Nothing given speaks of: {given.unknown}.", SURE, SURE))
    known = [f"Known of it: {as_prose(ranked)}"] if ranked else []
    advice = [
        (f"Find out what holds for: {given.unknown}.", "nothing given speaks of it")
        if given.unknown
        else (f"Begin with what is known: {ranked[0]}", "it shares most words with the problem")
        if ranked
        else (f"Say more of {given.words}.", "there is nothing given to conclude from")
    ]
    return Found(
        conclusion=" ".join([*sums, *known]) or _nothing(given),
        insights=insights or [(_nothing(given), SURE, SURE)],
        reasoning=[
            f"The problem speaks of {given.words}.",
            f"{len(given.findings.known)} sentences of background and memory were held against "
            f"it; {len(given.findings.ranked)} speak of it.",
        ],
        advice=advice,
    )


def _nothing(given: Given) -> str:
    return f"Nothing is known about {given.words}."


def _creative(given: Given) -> Found:
    """Name known methods, those that the problem's words call for first."""
    called = [(way.called_by(given.brief["problem"]), way) for way in WAYS]
    called.sort(key=lambda each: not each[0])
    told = [(way.told.format(words=given.words), way.name, cue) for cue, way in called[:MOST]]
    freed = [
        (f"What would be done if “{_short(each)}” did not hold, and what of it survives?", SURE)
        for each in given.brief["constraints"][:1]
    ]
    methods = [(text, LIKELY if cue else VAGUE) for text, _, cue in told]
    text, name, cue = told[0]
    why = f"the problem says “{cue}”" if cue else "a known method; no word asks for another one"
    return Found(
        conclusion=f"A known method for it, {name}: {text}",
        insights=[(each, importance, VAGUE) for each, importance in [*methods[:2], *freed]],
        reasoning=[f"Of {len(WAYS)} known methods {name} was taken: {why}."],
        advice=[(text, why)],
    )


def _critical(given: Given) -> Found:
    """Hold what is given against itself, and name what it leaves open."""
    brief = given.brief
    texts = [*sentences_in(brief["problem"]), *given.findings.known]
    wanted = [*brief["goals"], *brief["constraints"]]
    held = list(dict.fromkeys([*wanted, *texts]))[:MOST_HELD]
    clashes = [why for pair in combinations(held, 2) if (why := contradiction(*pair))]
    known = {word for each in texts for word in words_in(each)}
    open_points = [_short(each) for each in wanted if not known.intersection(words_in(each))]
    clashing = [f"What is given contradicts itself: {why}" for why in clashes]
    insights = [(each, 0.9, LIKELY) for each in clashing]
    insights += [(f"Nothing given tells how “{each}” fares.", 0.6, LIKELY) for each in open_points]
    if not insights:
        insights = [(f"Nothing given is evidence for {given.unknown or given.words}.", 0.5, LIKELY)]
    left = f"{len(open_points)} of {len(wanted)} goals and constraints are not spoken of."
    if not wanted:
        left = f"nothing given is evidence for {given.unknown or 'it'}."
    advice = [(f"Settle which holds: {why}", "an answer rests on one of them") for why in clashes]
    advice += [
        (f"Find out what it takes: {each}", "it is wanted, and nothing given speaks of it")
        for each in open_points
    ]
    return Found(
        conclusion=" ".join([*clashing[:1], f"About {given.words}: {left}"]),
        insights=insights,
        reasoning=[f"{len(held)} sentences were held against each other by their words."],
        advice=advice[:MOST],
    )


def _synthetic(given: Given) -> Found:
    """Say which of the things given speak of the same."""
    brief = given.brief
    facts = [_short(each) for each in given.findings.ranked[:MOST]]
    points = list(dict.fromkeys([*brief["goals"], *brief["constraints"], *facts]))[:MOST_HELD]
    links = [
        (first, second, shared)
        for first, second in combinations(points, 2)
        if (shared := sorted(set(_telling(first)) & set(_telling(second))))
    ]
    insights = [
        (f"“{_short(one)}” and “{_short(two)}” both speak of {', '.join(shared[:3])}.", 0.6, LIKELY)
        for one, two, shared in links
    ]
    goals = "; ".join(map(_short, brief["goals"]))
    if len(brief["goals"]) > 1:
        insights.insert(0, (f"One answer is to serve {len(brief['goals'])} goals: {goals}.", 0.7,
                            SURE))  # fmt: skip
    alone = f"Nothing given tells how the parts of it bear on each other: {given.words}."
    return Found(
        conclusion=f"To be brought together: {goals}." if goals else alone,
        insights=insights or [(alone, 0.4, LIKELY)],
        reasoning=[
            f"{len(points)} goals, constraints and facts were compared word by word; "
            f"{len(links)} pairs speak of the same."
        ],
        advice=[(f"Weigh each option against all of: {goals}.", "they are the goals given")]
        if goals
        else [],
    )


_STREAMS: Mapping[str, Callable[[Given], Found]] = MappingProxyType(
    {
        "analytical": _analytical,
        "creative": _creative,
        "critical": _critical,
        "synthetic": _synthetic,
    }
)
