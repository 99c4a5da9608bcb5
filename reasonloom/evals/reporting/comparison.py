"""All that a page tells of one comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.evals.reporting.facts import MISSING, costs, version
from reasonloom.evals.reporting.flips import Some, flipped
from reasonloom.evals.reporting.items import counted
from reasonloom.evals.reporting.report import Compared, Report
from reasonloom.evals.reporting.shown import ROOM, Room
from reasonloom.evals.reporting.verdict import Verdict, interval_of, on_items, verdict
from reasonloom.evals.reporting.wording import Line, wording

MOST_LINES = 1_000
"""Lines of a prompt's difference that are shown."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How one prompt differs: its versions, and its lines as far as they are shown."""

    name: str
    before: str
    after: str
    lines: Sequence[Line]
    left_out: int

    @property
    def alone(self) -> str:
        """Which run alone asks with it; empty where both do."""
        if MISSING not in (self.before, self.after):
            return ""
        return (
            "only this run asks with it" if self.before == MISSING else "only the base asks with it"
        )


@dataclass(frozen=True, slots=True)
class Part:
    """One comparison on a page; `plot` says in words what its picture shows."""

    place: int
    label: str
    found: dict[str, Any]
    plans: Sequence[dict[str, Any]]
    verdict: Verdict
    plot: str
    counts: Mapping[str, Any]
    flips: Mapping[str, Some]
    costs: Sequence[tuple[str, dict[str, Any]]]
    prompts: Sequence[Wording]


def parts(report: Report) -> list[Part]:
    """Return what a page tells of every comparison; they share its room for transcripts."""
    share = ROOM // (2 * len(report.compared))
    return [
        Part(
            place=place,
            label=each.run.label,
            found=each.found,
            plans=each.plans,
            verdict=verdict(report, each),
            plot=_plot(report, each),
            counts=counted(report, each),
            flips={
                way: flipped(report, each, way, Room(share)) for way in ("to_wrong", "to_right")
            },
            costs=costs(each.found),
            prompts=[_wording(report, each, told["prompt"]) for told in each.found["prompts"]],
        )
        for place, each in enumerate(report.compared, 1)
    ]


def _plot(report: Report, each: Compared) -> str:
    written = report.written
    return (
        f"{each.run.label} against {report.base.label}:"
        f" {written.by(each.found['difference'])}{written.unit},"
        f" 95 % interval {interval_of(report, each)}, {on_items(each.found)}"
    )


def _wording(report: Report, each: Compared, name: str) -> Wording:
    before, after = report.base.log.head, each.run.log.head
    lines = wording(before, after, name)
    return Wording(
        name=name,
        before=_version(before, name),
        after=_version(after, name),
        lines=lines[:MOST_LINES],
        left_out=max(0, len(lines) - MOST_LINES),
    )


def _version(head: dict[str, Any], name: str) -> str:
    return version((head.get("prompts") or {}).get(name, {}))
