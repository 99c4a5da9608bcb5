"""A stream without a language model: extracts from the input, and what words alone show.

Nothing here reasons. Each stream reports what its questions find in the caller's own sentences,
in any language; `text/sentences.py` splits the sentences.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import Any

from reasonloom.nodes.reasoning.tree.offline_approaches import METHODS, salient_words
from reasonloom.nodes.thinking.state import Brief
from reasonloom.text.contradiction import contradiction
from reasonloom.text.extraction import Findings
from reasonloom.text.sentences import join_sentences, sentences_in
from reasonloom.text.shortening import shorten
from reasonloom.text.words import GERMAN_STOP_WORDS, words_in

SUM = re.compile(r"(?<![\w.])\(*\d[\d.]*(?:\s*[-+*/×÷]\s*\(*\d[\d.]*\)*)+(?![\w])")
DATE = re.compile(r"\d+([-/])\d+\1\d+")
SIGNS = str.maketrans({"×": "*", "÷": "/"})
LONGEST_SUM_CHARS = 80
PLACES = 6
_OPERATORS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = (
    MappingProxyType(
        {
            ast.Add: operator.add,
            ast.Sub: operator.sub,
            ast.Mult: operator.mul,
            ast.Div: operator.truediv,
        }
    )
)


def evaluate_sums(text: str) -> list[str]:
    """Return the sums in a text with their results, such as `17*23 = 391`, but no dates."""
    found = dict.fromkeys(each[0].strip() for each in SUM.finditer(text))
    results = [(each, _sum_result(each)) for each in found if len(each) <= LONGEST_SUM_CHARS]
    return [f"{each} = {result}" for each, result in results if result]


def _sum_result(text: str) -> str:
    if DATE.search(text):
        return ""
    try:
        value = _sum_value(ast.parse(text.translate(SIGNS), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return ""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.{PLACES}f}".rstrip("0")


def _sum_value(node: ast.expr) -> Fraction:
    """Return the value of a sum; raise ValueError if it is not one of plain numbers."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Fraction(str(node.value))
    if isinstance(node, ast.BinOp) and (do := _OPERATORS.get(type(node.op))):
        return do(_sum_value(node.left), _sum_value(node.right))
    raise ValueError("no sum")


MOST_FINDINGS = 3
MOST_COMPARED_SENTENCES = 24
LONGEST_TEXT = 240
LOWER_CONFIDENCE = 0.5
"""Factor on the confidence of extracts: no model has judged them."""

COMPUTED = 0.99
SURE, LIKELY, VAGUE = 0.5, 0.4, 0.2
"""Confidence: quoted as given; shown by words; a known method that may not fit."""


@dataclass(slots=True)
class StreamFindings:
    """Findings of a stream: insights (text, importance, confidence) and advice (what, why)."""

    conclusion: str
    insights: list[tuple[str, float, float]]
    reasoning: list[str]
    advice: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The task, the facts known about it, and the words of it that no fact mentions."""

    brief: Brief
    findings: Findings
    words: str
    unknown: str


def think_offline(brief: Brief, memories: Sequence[dict[str, Any]], stream: str) -> dict[str, Any]:
    """Return the output of a stream without a language model."""
    given = _inputs(brief, memories)
    found = _STREAMS[stream](given)
    return {
        "reasoning": found.reasoning,
        "reactions": [],
        "insights": [
            {"content": text, "importance": round(importance, 4), "confidence": confidence}
            for text, importance, confidence in found.insights[:MOST_FINDINGS]
        ],
        "conclusion": found.conclusion,
        "confidence": round(given.findings.support * LOWER_CONFIDENCE, 4),
        "advice": found.advice,
    }


def _inputs(brief: Brief, memories: Sequence[dict[str, Any]]) -> Inputs:
    findings = Findings.of(
        {"problem": brief["problem"], "background": brief["background"], "memories": memories}
    )
    mentioned = {word for each in findings.known for word in words_in(each)}
    left = [word for word in dict.fromkeys(_keywords(brief["problem"])) if word not in mentioned]
    return Inputs(brief, findings, salient_words(brief["problem"]), ", ".join(left[:6]))


def _keywords(text: str) -> list[str]:
    return [word for word in words_in(text) if word not in GERMAN_STOP_WORDS]


def shorten_text(text: str) -> str:
    """Return the text within `LONGEST_TEXT` characters."""
    return shorten(text, LONGEST_TEXT, placeholder=" …")


def _analytical(given: Inputs) -> StreamFindings:
    """Report computable sums, known facts, and what no fact mentions."""
    sums = [f"{each}." for each in evaluate_sums(given.brief["problem"])]
    ranked = [shorten_text(each) for each in given.findings.ranked[:MOST_FINDINGS]]
    topics = given.findings.question_words
    insights = [(each, 0.9, COMPUTED) for each in sums]
    insights += [
        (each, max(0.1, len(topics.intersection(words_in(each))) / len(topics)), SURE)
        for each in ranked
    ]
    if given.unknown:
        insights.append((f"Nothing given speaks of: {given.unknown}.", SURE, SURE))
    known = [f"Known of it: {join_sentences(ranked)}"] if ranked else []
    advice = [
        (f"Find out what holds for: {given.unknown}.", "nothing given speaks of it")
        if given.unknown
        else (f"Begin with what is known: {ranked[0]}", "it shares most words with the problem")
        if ranked
        else (f"Say more of {given.words}.", "there is nothing given to conclude from")
    ]
    return StreamFindings(
        conclusion=" ".join([*sums, *known]) or _unknowns(given),
        insights=insights or [(_unknowns(given), SURE, SURE)],
        reasoning=[
            f"The problem speaks of {given.words}.",
            f"{len(given.findings.known)} sentences of background and memory were held against "
            f"it; {len(given.findings.ranked)} speak of it.",
        ],
        advice=advice,
    )


def _unknowns(given: Inputs) -> str:
    return f"Nothing is known about {given.words}."


def _creative(given: Inputs) -> StreamFindings:
    """Name known methods, first those that the problem's words suggest."""
    called = [(way.called_by(given.brief["problem"]), way) for way in METHODS]
    called.sort(key=lambda each: not each[0])
    proposals = [
        (way.instruction.format(words=given.words), way.name, cue)
        for cue, way in called[:MOST_FINDINGS]
    ]
    freed = [
        (
            f"What would be done if “{shorten_text(each)}” did not hold, and what of it survives?",
            SURE,
        )
        for each in given.brief["constraints"][:1]
    ]
    methods = [(text, LIKELY if cue else VAGUE) for text, _, cue in proposals]
    text, name, cue = proposals[0]
    why = f"the problem says “{cue}”" if cue else "a known method; no word asks for another one"
    return StreamFindings(
        conclusion=f"A known method for it, {name}: {text}",
        insights=[(each, importance, VAGUE) for each, importance in [*methods[:2], *freed]],
        reasoning=[f"Of {len(METHODS)} known methods {name} was taken: {why}."],
        advice=[(text, why)],
    )


def _critical(given: Inputs) -> StreamFindings:
    """Report contradictions within the input, and goals it says nothing about."""
    brief = given.brief
    texts = [*sentences_in(brief["problem"]), *given.findings.known]
    wanted = [*brief["goals"], *brief["constraints"]]
    compared = list(dict.fromkeys([*wanted, *texts]))[:MOST_COMPARED_SENTENCES]
    clashes = [why for pair in combinations(compared, 2) if (why := contradiction(*pair))]
    known = {word for each in texts for word in words_in(each)}
    open_points = [shorten_text(each) for each in wanted if not known.intersection(words_in(each))]
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
    return StreamFindings(
        conclusion=" ".join([*clashing[:1], f"About {given.words}: {left}"]),
        insights=insights,
        reasoning=[f"{len(compared)} sentences were held against each other by their words."],
        advice=advice[:MOST_FINDINGS],
    )


def _synthetic(given: Inputs) -> StreamFindings:
    """Report which goals, constraints and facts share words."""
    brief = given.brief
    facts = [shorten_text(each) for each in given.findings.ranked[:MOST_FINDINGS]]
    points = list(dict.fromkeys([*brief["goals"], *brief["constraints"], *facts]))[
        :MOST_COMPARED_SENTENCES
    ]
    links = [
        (first, second, shared)
        for first, second in combinations(points, 2)
        if (shared := sorted(set(_keywords(first)) & set(_keywords(second))))
    ]
    shared_words = "“{}” and “{}” both speak of {}.".format
    insights = [
        (shared_words(shorten_text(one), shorten_text(two), ", ".join(shared[:3])), 0.6, LIKELY)
        for one, two, shared in links
    ]
    goals = "; ".join(map(shorten_text, brief["goals"]))
    if len(brief["goals"]) > 1:
        served = f"One answer is to serve {len(brief['goals'])} goals: {goals}."
        insights.insert(0, (served, 0.7, SURE))
    alone = f"Nothing given tells how the parts of it bear on each other: {given.words}."
    return StreamFindings(
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


_STREAMS: Mapping[str, Callable[[Inputs], StreamFindings]] = MappingProxyType(
    {
        "analytical": _analytical,
        "creative": _creative,
        "critical": _critical,
        "synthetic": _synthetic,
    }
)
