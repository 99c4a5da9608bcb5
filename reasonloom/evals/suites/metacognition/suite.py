"""The suite `metacognition`: every labelled item run through its check."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, Literal

from reasonloom.contracts.base import Request
from reasonloom.contracts.metacognition import AssessConfidence, DetectBias, DetectEmotion, Evaluate
from reasonloom.evals.comparison.summary import latency
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import AnswerContext, Answering, Opening
from reasonloom.evals.engine import temporary_engine, timed_call
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.figures import ALL, Figure, rounded
from reasonloom.evals.suites.labelled import Labelled
from reasonloom.evals.suites.metacognition.data import (
    EMOTIONS,
    FRAMEWORKS,
    BiasText,
    FrameworkProblem,
    LabelledSets,
    load_sets,
)
from reasonloom.evals.suites.metacognition.scoring import (
    NONE,
    TYPES,
    DetectedBiases,
    bias_figures,
    confusion,
    emotion_figures,
    framework_figures,
    pair_figures,
    pair_rank,
    ranked_labels,
)
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.classifier.classifier import FOLDER
from reasonloom.llm.offline.model import OfflineModel
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


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound that a figure must reach, or must not exceed."""

    sign: Literal[">=", "<=", "<"]
    bound: float

    def met(self, value: float) -> bool:
        """Return whether a value meets the goal."""
        if self.sign == ">=":
            return value >= self.bound
        return value <= self.bound if self.sign == "<=" else value < self.bound


GOALS: Mapping[tuple[str, str, str], Goal] = MappingProxyType(
    {
        ("biases", "precision", ALL): Goal(">=", 0.8),
        ("biases", "recall", ALL): Goal(">=", 0.6),
        ("biases", "false alarms", "none"): Goal("<=", 0.1),
        ("emotions", "top-1", ALL): Goal(">=", 0.6),
        ("frameworks", "top-1", ALL): Goal(">=", 0.7),
        **{("pairs", tool, ALL): Goal(">=", 0.8) for tool in RANKED},
    }
)
"""By part, name and class; set before any check existed, for checks without a language model."""

OFFLINE_GOALS: Mapping[tuple[str, str, str], Goal] = MappingProxyType(
    {("latency", "p50", tool): Goal("<", 5.0) for tool in CONTRACTS}
)
"""Goals that apply only to offline runs, which do not wait for a language model."""


def goal_of(figure: Figure, *, offline: bool) -> Goal | None:
    """Return a figure's goal, None if it has none."""
    place = (figure.part, figure.name, figure.of)
    return GOALS.get(place) or (OFFLINE_GOALS.get(place) if offline else None)


def metacognition_summary(
    sets: LabelledSets, records: Sequence[Record], *, offline: bool
) -> dict[str, Any]:
    """Return all `figures`, and the `confusion` matrices of emotions and frameworks.

    `records` must cover all questions of the half.
    """
    figures = [*_judged(sets, records), *_latencies(records)]
    return {
        "figures": [_wire(figure, offline=offline) for figure in figures],
        "confusion": {
            "emotions": confusion(sets.emotions, _answer_of(records, "detect_emotion"), EMOTIONS),
            "frameworks": confusion(sets.frameworks, _answer_of(records, SELECTION), FRAMEWORKS),
        },
    }


def _judged(sets: LabelledSets, records: Sequence[Record]) -> Iterator[Figure]:
    yield from bias_figures(sets.biases, _answer_of(records, "detect_bias"))
    yield from emotion_figures(sets.emotions, _answer_of(records, "detect_emotion"))
    yield from framework_figures(sets.frameworks, _answer_of(records, SELECTION))
    for tool in RANKED:
        yield from pair_figures(sets.pairs, _answer_of(records, tool), tool)


def _latencies(records: Sequence[Record]) -> Iterator[Figure]:
    for check in (*CONTRACTS, SELECTION):
        times = [time for record in records if record.group == check for time in _times(record)]
        for name, value in latency(times).items():
            yield Figure(part="latency", name=name, of=check, value=value, n=len(times), unit="ms")


def _times(record: Record) -> list[float]:
    """Return the milliseconds of each call; a pair has two."""
    if record.group not in RANKED:
        return [record.latency_ms]
    return [record.output[f"{side}_ms"] for side in SIDES]


def _answer_of(records: Sequence[Record], check: str) -> DetectedBiases:
    return {
        record.item.removeprefix(f"{check}/"): record.output
        for record in records
        if record.group == check
    }


def _wire(figure: Figure, *, offline: bool) -> dict[str, Any]:
    """Return a figure with its goal, if any, rounded to four places."""
    values = rounded(figure)
    goal = goal_of(figure, offline=offline)
    if goal is None:
        return values
    met = figure.value is not None and goal.met(figure.value)
    return {**values, "goal": f"{goal.sign} {goal.bound:g}", "met": met}


NAME = "metacognition"
WEIGHTS = "reader.onnx"
UNSCALED = (
    "Latency is that of whole calls, one after the other, as this machine was just then: it is"
    " not scaled to a floor of the same run."
)


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the suite for a half; `data` is a folder that replaces the packaged one."""
    sets, digests = load_sets(half, data)
    by_half = {each: list(questions(of_half)) for each, of_half in sets.items()}
    every = [question for of_half in by_half.values() for question in of_half]
    suite = Suite(
        NAME,
        [question.item for question in every],
        (Measure("right", lambda item, answer: RIGHT[item.group](item.target, answer)),),
        Opening(partial(open_checks, every), "checks", asks=True),
        about={
            "data_sha256": digests,
            "half": half,
            "embedder": embedder_model(),
            "classifier_sha256": sha256((files(FOLDER) / WEIGHTS).read_bytes()).hexdigest(),
        },
    )
    return Packaged(suite, partial(_report, sets, by_half))


@asynccontextmanager
async def open_checks(
    questions: Sequence[Question], parts: AnswerContext
) -> AsyncIterator[Answering]:
    """Yield the answering function, which runs an item through its check."""
    known = {question.item.id: question for question in questions}
    async with temporary_engine(parts) as engine:

        async def answer(item: Item, epoch: int) -> Answer:
            return await known[item.id].ask(engine)

        yield answer


def _named(bias: str, answer: Mapping[str, float]) -> float:
    """Return 1 if only the label was detected, or nothing for `none`; else 0."""
    return float({other for other in TYPES if other in answer} == {bias} - {NONE})


def _first(labels: Sequence[str], label: str, answer: Mapping[str, float]) -> float:
    return float(ranked_labels(answer, labels)[0] == label)


RIGHT: dict[str, Callable[[str, Mapping[str, float]], float]] = {
    "detect_bias": _named,
    "detect_emotion": partial(_first, EMOTIONS),
    SELECTION: partial(_first, FRAMEWORKS),
    **dict.fromkeys(RANKED, lambda _, answer: pair_rank(answer)),
}
"""Scoring functions by check; a tied pair scores 0.5."""


def _report(
    sets: Mapping[str, LabelledSets], by_half: Mapping[str, Sequence[Question]], log: EvalLog
) -> dict[str, Any]:
    offline = log.head["system"]["llm"] == OfflineModel.name
    found = {}
    for half, of_half in by_half.items():
        ids = {question.item.id for question in of_half}
        own = [record for record in log.records if record.item in ids]
        found[half] = metacognition_summary(sets[half], own, offline=offline)
    return {"note": UNSCALED, "halves": found}
