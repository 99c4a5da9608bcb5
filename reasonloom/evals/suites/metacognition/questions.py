"""Puts every labelled item to the check that it is for, and reads what the check said of it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from reasonloom.contracts.base import Request
from reasonloom.contracts.metacognition import (
    AssessConfidence,
    DetectBias,
    DetectEmotion,
    Evaluate,
)
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.engine import call_tool
from reasonloom.evals.suites.metacognition.data import BiasText, LabelledSets, Pair
from reasonloom.evals.suites.metacognition.labels import FrameworkProblem, Labelled
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.thinking.analyze.selection import computed_shares

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

SIDES = ("sound", "flawed")
ToolOutput = Mapping[str, Any]
Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Question:
    """One item put to one check; `ask` asks it."""

    item: Item
    ask: Callable[[Engine], Awaitable[Answer]]


def questions(sets: LabelledSets) -> Iterator[Question]:
    """Yield every question that a half's sets give, one check after the other."""
    for text in sets.biases:
        yield _of_tool(
            "detect_bias", text, {"reasoning": text.text}, partial(detected_biases, text)
        )
    for felt in sets.emotions:
        yield _of_tool("detect_emotion", felt, {"text": felt.text}, detected_emotion)
    for problem in sets.frameworks:
        yield Question(_item(SELECTION, problem, problem.problem), partial(_select, problem))
    for tool, (context, reads) in RANKED.items():
        for pair in sets.pairs:
            sides = {side: {"reasoning": getattr(pair, side), **context(pair)} for side in SIDES}
            yield Question(_item(tool, pair, sides), partial(_rank, tool, sides, reads))


def detected_biases(item: BiasText, answer: ToolOutput) -> Scores:
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


def detected_emotion(answer: ToolOutput) -> Scores:
    """Return the confidence of the emotion that was told first, with valence and arousal."""
    discrete, felt = answer["discrete"], answer["circumplex"]
    return {
        discrete["primary"]: discrete["confidence"],
        "valence": felt["valence"],
        "arousal": felt["arousal"],
    }


def assessed_confidence(answer: ToolOutput) -> float:
    """Return how far `assess_confidence` would rely on the reasoning."""
    return float(answer["overallConfidence"])


def mean_quality(answer: ToolOutput) -> float:
    """Return the mean of the four sides of quality."""
    return fmean(answer["quality"].values())


def _evidence(pair: Pair) -> dict[str, Any]:
    return {"evidence": pair.evidence} if pair.evidence else {}


def _context(pair: Pair) -> dict[str, Any]:
    """Return what `evaluate` is given: it takes no evidence, so that goes into the context."""
    return {"context": " ".join(pair.evidence)} if pair.evidence else {}


RANKED: dict[str, tuple[Callable[[Pair], dict[str, Any]], Callable[[ToolOutput], float]]] = {
    "assess_confidence": (_evidence, assessed_confidence),
    "evaluate": (_context, mean_quality),
}
"""The tools that say which of a pair is the better: what each is given beside, and its worth."""


def _item(check: str, labelled: Labelled, asked: Any) -> Item:
    return Item(f"{check}/{labelled.id}", asked, labelled.label, labelled.id, check)


def _of_tool(
    tool: str, labelled: Labelled, given: dict[str, Any], reads: Callable[[ToolOutput], Scores]
) -> Question:
    async def ask(engine: Engine) -> Answer:
        told, took = await _timed(engine, tool, given)
        return Answer(reads(told), latency_ms=took)

    return Question(_item(tool, labelled, given), ask)


async def _rank(
    tool: str,
    sides: dict[str, dict[str, Any]],
    reads: Callable[[ToolOutput], float],
    engine: Engine,
) -> Answer:
    """Return what each side is worth to a tool, and the milliseconds that each call took."""
    said: Scores = {}
    for side, given in sides.items():
        told, said[f"{side}_ms"] = await _timed(engine, tool, given)
        said[side] = reads(told)
    return Answer(said, latency_ms=fmean(said[f"{side}_ms"] for side in sides))


async def _timed(engine: Engine, tool: str, given: dict[str, Any]) -> tuple[ToolOutput, float]:
    started = time.perf_counter()
    told = await call_tool(engine, OWNER, tool, CONTRACTS[tool], given)
    return told, (time.perf_counter() - started) * 1000


async def _select(problem: FrameworkProblem, engine: Engine) -> Answer:
    """Return each framework's share of one, by the problem's words; no language model votes."""
    started = time.perf_counter()
    shares = await computed_shares(problem.problem)
    return Answer(shares, latency_ms=(time.perf_counter() - started) * 1000)
