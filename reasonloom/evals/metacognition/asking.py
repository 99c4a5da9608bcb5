"""Puts every labelled item to the check that it is for, and reads what the check said of it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.door import read
from reasonloom.contracts.metacognition import (
    AssessConfidence,
    DetectBias,
    DetectEmotion,
    Evaluate,
)
from reasonloom.evals.metacognition.data import BiasText, Pair
from reasonloom.evals.metacognition.sets import Sets
from reasonloom.graphs.call import Call
from reasonloom.graphs.engine import Engine
from reasonloom.graphs.graph import load_graph
from reasonloom.nodes.analysis.selection import computed_shares

OWNER = "eval"
CONTRACTS: dict[str, type[Request]] = {
    "detect_bias": DetectBias,
    "detect_emotion": DetectEmotion,
    "assess_confidence": AssessConfidence,
    "evaluate": Evaluate,
}
"""The tools that are called, each by the graph of its name."""

SELECTION = "framework selection"
"""What is called without its tool: the rest of `analyze` would cost more and say nothing of it."""

RANKING = ("assess_confidence", "evaluate")
"""The tools that say which of a pair is the better."""

SIDES = ("sound", "flawed")
Answer = Mapping[str, Any]
Scores = dict[str, float]


class Question(NamedTuple):
    """One item put to one check.

    Attributes:
        check: what is asked.
        item: the item's id, of a pair with the side.
        ask: asks, and returns what was said, with the milliseconds that it took.
    """

    check: str
    item: str
    ask: Callable[[Engine], Awaitable[tuple[Scores, float]]]

    @property
    def key(self) -> str:
        """Its name in the log."""
        return f"{self.check}/{self.item}"


def questions(sets: Sets) -> Iterator[Question]:
    """Yield every question that a half's sets give, one check after the other."""
    for text in sets.biases:
        yield _of_tool("detect_bias", text.id, {"reasoning": text.text}, partial(biases_said, text))
    for felt in sets.emotions:
        yield _of_tool("detect_emotion", felt.id, {"text": felt.text}, emotion_said)
    for problem in sets.frameworks:
        yield Question(SELECTION, problem.id, partial(_select, problem.problem))
    for pair in sets.pairs:
        for side in SIDES:
            yield _of_tool(
                "assess_confidence", f"{pair.id}/{side}", _with_evidence(pair, side), confidence
            )
    for pair in sets.pairs:
        for side in SIDES:
            yield _of_tool(
                "evaluate", f"{pair.id}/{side}", _with_context(pair, side), quality_in_the_mean
            )


def biases_said(item: BiasText, answer: Answer) -> Scores:
    """Return the confidence of each bias that was told.

    Where the label is among them, `overlap` is 1 if a told span shares a character with the
    labelled one, else 0.
    """
    told = {found["type"]: found for found in answer["biases"]}
    scores: Scores = {bias: found["confidence"] for bias, found in told.items()}
    if item.span is not None and item.bias in told:
        start = item.text.index(item.span)
        end = start + len(item.span)
        spans = told[item.bias]["spans"]
        scores["overlap"] = float(any(s["start"] < end and start < s["end"] for s in spans))
    return scores


def emotion_said(answer: Answer) -> Scores:
    """Return the confidence of the emotion that was told first, with valence and arousal."""
    discrete, felt = answer["discrete"], answer["circumplex"]
    return {
        discrete["primary"]: discrete["confidence"],
        "valence": felt["valence"],
        "arousal": felt["arousal"],
    }


def confidence(answer: Answer) -> Scores:
    """Return how far `assess_confidence` would rely on the reasoning."""
    return {"worth": answer["overallConfidence"]}


def quality_in_the_mean(answer: Answer) -> Scores:
    """Return the mean of the four sides of quality."""
    return {"worth": fmean(answer["quality"].values())}


def _with_evidence(pair: Pair, side: str) -> dict[str, Any]:
    given = {"reasoning": getattr(pair, side)}
    return {**given, "evidence": pair.evidence} if pair.evidence else given


def _with_context(pair: Pair, side: str) -> dict[str, Any]:
    """Return what `evaluate` is given: it takes no evidence, so that goes into the context."""
    given = {"reasoning": getattr(pair, side)}
    return {**given, "context": " ".join(pair.evidence)} if pair.evidence else given


def _of_tool(
    tool: str, item: str, arguments: dict[str, Any], reads: Callable[[Answer], Scores]
) -> Question:
    return Question(tool, item, partial(_call, tool, arguments, reads))


async def _call(
    tool: str, arguments: dict[str, Any], reads: Callable[[Answer], Scores], engine: Engine
) -> tuple[Scores, float]:
    request = read(CONTRACTS[tool], arguments)
    call = Call(
        tool=tool,
        graph=load_graph(tool),
        request=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
        caller=Caller(OWNER).within(request.space()),
    )
    started = time.perf_counter()
    outcome = await engine.call(call)
    took = (time.perf_counter() - started) * 1000
    return reads(outcome.answer), took


async def _select(problem: str, engine: Engine) -> tuple[Scores, float]:
    """Return each framework's share of one, by the problem's words; no language model votes."""
    started = time.perf_counter()
    shares = await computed_shares(problem)
    return shares, (time.perf_counter() - started) * 1000
