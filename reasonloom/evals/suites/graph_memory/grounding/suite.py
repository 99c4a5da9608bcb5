"""The figures of one half: right verdicts, beside those of counting words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean, median
from typing import Any

from reasonloom.evals.log import Record
from reasonloom.evals.suites.figures import Figure, share
from reasonloom.evals.suites.graph_memory.grounding.data import KINDS, VERDICTS, World
from reasonloom.evals.suites.graph_memory.grounding.overlap import Counted, Thresholds, counted

DIGITS = 4
NEVER = ("negated", "swapped")
"""The kinds of which no claim may be called verified."""

ACCURACY = 0.8


def summary(worlds: Sequence[World], records: Sequence[Record], by: Thresholds) -> dict[str, Any]:
    """Return the goals and the figures of a half, each with what counting words gives there."""
    told = {record.item: record for record in records}
    base = counted(worlds)
    figures = _figures(told, base, by)
    wrong = [each for each in records if each.group in NEVER and _is_verified(each)]
    accuracy = next(each for each, _ in figures if each.name == "right verdicts")
    return {
        "figures": [_rounded(figure, overlap) for figure, overlap in figures],
        "goals": {
            "negated or swapped called verified": {"goal": "0", "value": len(wrong)},
            "right verdicts": {"goal": f"at least {ACCURACY:.0%}", "value": accuracy.value},
        },
        "met": not wrong and (accuracy.value or 0) >= ACCURACY,
        "wrong": [
            {"claim": each.item, "kind": each.group, "said": said(each.output)}
            for each in records
            if not each.scores["right"]
        ],
        "median_ms": round(median([each.latency_ms for each in records]), 3) if records else None,
    }


def _figures(
    told: dict[str, Record], base: Sequence[Counted], by: Thresholds
) -> list[tuple[Figure, float | None]]:
    asked = [
        (each.claim, told[each.claim.id], each.share) for each in base if each.claim.id in told
    ]
    right = [(one.scores["right"], by.verdict(part) == claim.verdict) for claim, one, part in asked]
    found = [(_share("right verdicts", [a for a, _ in right]), _mean([b for _, b in right]))]
    means: list[tuple[float, float]] = []
    for verdict in dict.fromkeys(VERDICTS.values()):
        some = [pair for pair, (c, _, _) in zip(right, asked, strict=True) if c.verdict == verdict]
        if some:
            means.append((fmean(a for a, _ in some), fmean(b for _, b in some)))
    mean = Figure(
        part="claims",
        name="mean over the verdicts",
        value=_mean([a for a, _ in means]),
        n=len(asked),
    )
    found.append((mean, _mean([b for _, b in means])))
    for kind in KINDS:
        some = [pair for pair, (c, _, _) in zip(right, asked, strict=True) if c.kind == kind]
        found.append((_share("right", [a for a, _ in some], kind), _mean([b for _, b in some])))
    return [*found, *_others(told.values(), asked, by)]


def _others(told: Any, asked: Any, by: Thresholds) -> list[tuple[Figure, float | None]]:
    never = [(float(_is_verified(one)), by.verdict(part) == "verified")
             for claim, one, part in asked if claim.kind in NEVER]  # fmt: skip
    records = list(told)
    hits = [one.scores["evidence"] for one in records if "evidence" in one.scores]
    labels = [one.scores["label"] for one in records]
    return [
        (
            _share("called verified", [a for a, _ in never], "negated or swapped"),
            _mean([b for _, b in never]),
        ),
        (_share("right, contradicted as a label of its own", labels), None),
        (_share("names a memory that decides", hits, "claims with evidence"), None),
    ]


def _share(name: str, hits: Sequence[float], of: str = "all") -> Figure:
    return share("claims", name, hits, of=of)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _rounded(figure: Figure, overlap: float | None) -> dict[str, Any]:
    told = asdict(figure)
    interval = told["interval"]
    told["interval"] = [round(end, DIGITS) for end in interval] if interval else None
    told["value"] = None if figure.value is None else round(figure.value, DIGITS)
    return {**told, "overlap": None if overlap is None else round(overlap, DIGITS)}


def said(output: Mapping[str, Any]) -> str:
    """Return what an answer said of its claim, with contradicted as a word of its own."""
    return "contradicted" if output["contradicted"] else str(output["status"])


def _is_verified(record: Record) -> bool:
    return bool(record.output["status"] == "verified")
