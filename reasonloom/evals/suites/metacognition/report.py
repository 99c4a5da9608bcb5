"""Sums up the records of one half: every figure with its goal, and what was taken for what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from reasonloom.evals.comparison.report import latency
from reasonloom.evals.log import Record
from reasonloom.evals.suites.figures import Figure
from reasonloom.evals.suites.metacognition.goals import goal_of
from reasonloom.evals.suites.metacognition.judged_biases import Said, bias_figures
from reasonloom.evals.suites.metacognition.judged_pairs import pair_figures
from reasonloom.evals.suites.metacognition.labels import EMOTIONS, FRAMEWORKS
from reasonloom.evals.suites.metacognition.questions import CONTRACTS, RANKED, SELECTION, SIDES
from reasonloom.evals.suites.metacognition.scoring import (
    confusion,
    emotion_figures,
    framework_figures,
)
from reasonloom.evals.suites.metacognition.sets import Sets


def summary(sets: Sets, records: Sequence[Record], *, offline: bool) -> dict[str, Any]:
    """Return `figures`, in their order, and `confusion` of emotions and frameworks.

    `records` are those of the half's questions, all of them.
    """
    figures = [*_judged(sets, records), *_latencies(records)]
    return {
        "figures": [_wire(figure, offline=offline) for figure in figures],
        "confusion": {
            "emotions": confusion(sets.emotions, _said(records, "detect_emotion"), EMOTIONS),
            "frameworks": confusion(sets.frameworks, _said(records, SELECTION), FRAMEWORKS),
        },
    }


def _judged(sets: Sets, records: Sequence[Record]) -> Iterator[Figure]:
    yield from bias_figures(sets.biases, _said(records, "detect_bias"))
    yield from emotion_figures(sets.emotions, _said(records, "detect_emotion"))
    yield from framework_figures(sets.frameworks, _said(records, SELECTION))
    for tool in RANKED:
        yield from pair_figures(sets.pairs, _said(records, tool), tool)


def _latencies(records: Sequence[Record]) -> Iterator[Figure]:
    for check in (*CONTRACTS, SELECTION):
        times = [time for record in records if record.group == check for time in _times(record)]
        for name, value in latency(times).items():
            yield Figure(part="latency", name=name, of=check, value=value, n=len(times), unit="ms")


def _times(record: Record) -> list[float]:
    """Return the milliseconds of each call: of a pair there are two."""
    if record.group not in RANKED:
        return [record.latency_ms]
    return [record.output[f"{side}_ms"] for side in SIDES]


def _said(records: Sequence[Record], check: str) -> Said:
    return {
        record.item.removeprefix(f"{check}/"): record.output
        for record in records
        if record.group == check
    }


def _wire(figure: Figure, *, offline: bool) -> dict[str, Any]:
    """Return a figure with its goal, if it has one; all numbers rounded to four places."""
    told = {name: _rounded(value) for name, value in asdict(figure).items()}
    goal = goal_of(figure, offline=offline)
    if goal is None:
        return told
    met = figure.value is not None and goal.met(figure.value)
    return {**told, "goal": f"{goal.sign} {goal.bound:g}", "met": met}


def _rounded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [round(end, 4) for end in value]
    return round(value, 4) if isinstance(value, float) else value
