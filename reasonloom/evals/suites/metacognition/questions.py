"""Runs every labelled item through its check and extracts scores from the answer."""

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from reasonloom.contracts.base import Request
from reasonloom.contracts.metacognition import AssessConfidence, DetectBias, DetectEmotion, Evaluate
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.engine import timed_call
from reasonloom.evals.suites.labelled import Labelled
from reasonloom.evals.suites.metacognition.data import BiasText, FrameworkProblem, LabelledSets
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.thinking.analyze.selection import computed_shares

OWNER = "eval"
CONTRACTS: dict[str, type[Request]] = {
    "detect_bias": DetectBias,
    "detect_emotion": DetectEmotion,
    "assess_confidence": AssessConfidence,
    "evaluate": Evaluate,
}
"""Request contracts by tool; each tool's graph has the same name."""

SELECTION = "framework selection"
"""Called without its tool, because the rest of `analyze` is costly and not measured."""

SIDES = ("sound", "flawed")
ToolOutput = Mapping[str, Any]
Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Question:
    """An item and the call that answers it."""

    item: Item
    ask: Callable[[Engine], Awaitable[Answer]]


def questions(sets: LabelledSets) -> Iterator[Question]:
    """Yield all questions of a half's sets, check by check."""
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
            more = context(pair.evidence) if pair.evidence else {}
            sides = {side: {"reasoning": getattr(pair, side), **more} for side in SIDES}
            yield Question(_item(tool, pair, sides), partial(_rank, tool, sides, reads))


def detected_biases(item: BiasText, answer: ToolOutput) -> Scores:
    """Return the confidence of each detected bias.

    If the label was detected, `overlap` is 1 if one of its spans overlaps the labelled one, else 0.
    """
    detected = {found["type"]: found for found in answer["biases"]}
    scores: Scores = {bias: found["confidence"] for bias, found in detected.items()}
    if item.span is not None and item.bias in detected:
        start = item.text.index(item.span)
        end = start + len(item.span)
        spans = detected[item.bias]["spans"]
        scores["overlap"] = float(any(s["start"] < end and start < s["end"] for s in spans))
    return scores


def detected_emotion(answer: ToolOutput) -> Scores:
    """Return the confidence of the primary emotion, with valence and arousal."""
    discrete, felt = answer["discrete"], answer["circumplex"]
    return {
        discrete["primary"]: discrete["confidence"],
        "valence": felt["valence"],
        "arousal": felt["arousal"],
    }


RANKED: dict[str, tuple[Callable[[list[str]], dict[str, Any]], Callable[[ToolOutput], float]]] = {
    "assess_confidence": (
        lambda evidence: {"evidence": evidence},
        lambda answer: float(answer["overallConfidence"]),
    ),
    "evaluate": (
        lambda evidence: {"context": " ".join(evidence)},  # it has no evidence argument
        lambda answer: fmean(answer["quality"].values()),
    ),
}
"""Tools that rate both sides of a pair: arguments for the evidence, and the answer's rating."""


def _item(check: str, labelled: Labelled, question: Any) -> Item:
    return Item(f"{check}/{labelled.id}", question, labelled.label, labelled.id, check)


def _of_tool(
    tool: str, labelled: Labelled, given: dict[str, Any], reads: Callable[[ToolOutput], Scores]
) -> Question:
    async def ask(engine: Engine) -> Answer:
        output, took = await timed_call(engine, OWNER, tool, CONTRACTS[tool], given)
        return Answer(reads(output), latency_ms=took)

    return Question(_item(tool, labelled, given), ask)


async def _rank(
    tool: str,
    sides: dict[str, dict[str, Any]],
    reads: Callable[[ToolOutput], float],
    engine: Engine,
) -> Answer:
    """Return a tool's rating of each side, and the milliseconds of each call."""
    scores: Scores = {}
    for side, given in sides.items():
        output, took = await timed_call(engine, OWNER, tool, CONTRACTS[tool], given)
        scores |= {f"{side}_ms": took, side: reads(output)}
    return Answer(scores, latency_ms=fmean(scores[f"{side}_ms"] for side in sides))


async def _select(problem: FrameworkProblem, engine: Engine) -> Answer:
    """Return each framework's share from the problem's words, without a language model's vote."""
    started = time.perf_counter()
    shares = await computed_shares(problem.problem)
    return Answer(shares, latency_ms=(time.perf_counter() - started) * 1000)
