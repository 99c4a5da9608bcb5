"""The data of a report: labelled runs with their scores, and their comparisons with the base."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.compare import (
    compare,
    first_score,
    is_lower_better,
    open_completed,
)
from reasonloom.evals.comparison.pairs import Side, pair_runs, side
from reasonloom.evals.comparison.pairs import reducer as reducer_of
from reasonloom.evals.comparison.power import plan_from_runs
from reasonloom.evals.comparison.summary import run_summary
from reasonloom.evals.core.run import RunResult
from reasonloom.evals.log import EvalLog
from reasonloom.evals.reporting.formatting import ScoreFormat, shortened_line

MOMENT = re.compile(r"-[0-9]{8}T[0-9]{6}(-[0-9]+)?")
"""The timestamp that the command adds to file names."""

MOST_PROMPTS = 2
"""Labels name at most this many prompts."""

LONGEST = 80
PROMPT = "prompt:"


def labels(logs: Sequence[EvalLog]) -> list[str]:
    """Return a distinct name for each run, from the properties that differ."""
    properties = [_traits_of(log.head) for log in logs]
    alike = {
        part
        for part in set().union(*properties)
        if len({each.get(part) for each in properties}) == 1
    }
    if len(logs) == 1:
        alike = {"seed", "epochs"}
    found = [_joined(each, alike) for each in properties]
    if not all(found) or len(set(found)) < len(found):
        found = [MOMENT.sub("", log.path.stem) for log in logs]
    found = [shortened_line(name, LONGEST) for name in found]
    return [
        f"{name} ({found[:place].count(name) + 1})" if found.count(name) > 1 else name
        for place, name in enumerate(found)
    ]


def _joined(properties: dict[str, str], alike: set[str]) -> str:
    differing = {part: text for part, text in properties.items() if part not in alike}
    if sum(part.startswith(PROMPT) for part in differing) > MOST_PROMPTS:
        differing = {part: text for part, text in differing.items() if not part.startswith(PROMPT)}
    return ", ".join(differing.values())


def _traits_of(head: dict[str, Any]) -> dict[str, str]:
    """Return the distinguishing properties of a run, by kind."""
    system = head.get("system") or {}
    prompts = head.get("prompts") or {}
    versions = {
        f"{PROMPT}{name}:{each.get('hash')}": f"{name} v{each.get('version')}"
        for name, each in prompts.items()
    }
    way = method_of(head)
    return {
        **({"way": way} if way and way not in prompts else {}),
        **versions,
        **({"llm": str(system["llm"])} if system.get("llm") else {}),
        **({"arguments": shortened_line(given, 40)} if (given := system.get("arguments")) else {}),
        **{name: f"{name} {head[name]}" for name in ("seed", "epochs") if name in head},
    }


def method_of(head: dict[str, Any]) -> str:
    """Return how items were answered: the name of a tool, a prompt or a function."""
    system = head.get("system") or {}
    return str(system.get("tool") or system.get("prompt") or system.get("function") or "")


TIMES = (1, 2, 4)
"""Multiples of the number of items for which power is estimated."""


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run with a distinct label, its `run_summary`, and its records and scores by item."""

    label: str
    log: EvalLog
    summary: dict[str, Any]
    side: Side


@dataclass(frozen=True, slots=True)
class Compared:
    """One run against the base: `found` is from `compare`, `plans` are for larger runs."""

    run: ReportedRun
    found: dict[str, Any]
    plans: Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Report:
    """Runs of one suite, the base first, and comparisons; `lower` if lower scores are better."""

    score: str
    reducer: str
    runs: Sequence[ReportedRun]
    lower: bool = False
    written: ScoreFormat = field(default_factory=ScoreFormat)
    compared: Sequence[Compared] = field(default_factory=tuple)

    @property
    def base(self) -> ReportedRun:
        """The run that the others are compared with, or the only one."""
        return self.runs[0]

    @property
    def title(self) -> str:
        """The suite's name."""
        return str(self.base.log.head.get("eval") or "eval")


def build_report(*runs: EvalLog | Path, score: str = "", reducer: str = "mean") -> Report:
    """Build the report of runs or their files; of several, the others are compared with the first.

    The first scorer's score is compared if none is named; `reducer` is mean, mode, pass@K or pass^K
    over an item's epochs.
    """
    if not runs:
        raise InvalidArgument("runs: name one or more", field="runs")
    logs = [_summarized(open_completed(run)) for run in runs]
    score = score or first_score(logs[0])
    reported = [
        ReportedRun(
            label, log, run_summary(RunResult(log), reducer), side(log, score, reducer_of(reducer))
        )
        for label, log in zip(labels(logs), logs, strict=True)
    ]
    return Report(
        score,
        reducer,
        reported,
        is_lower_better(logs[0], score),
        ScoreFormat(all(map(_has_shares, logs))),
        _compared(reported, score, reducer),
    )


def _has_shares(log: EvalLog) -> bool:
    """Return whether all scores of a run lie in 0..1, unlike counts."""
    marks = [
        value for record in log.records for name, value in record.scores.items() if "/" not in name
    ]
    return min(marks, default=0.0) >= 0 and max(marks, default=0.0) <= 1


def _summarized(log: EvalLog) -> EvalLog:
    """Return the run; refuse one of the project's older evals, whose heads and figures differ."""
    if not all(isinstance(log.head.get(name), int) for name in ("items", "epochs")):
        raise InvalidArgument(
            f"runs: {log.path.name} is no run of a suite; reports are of what"
            " `reasonloom eval run FILE` writes",
            field="runs",
        )
    return log


def _compared(reported: Sequence[ReportedRun], score: str, reducer: str) -> tuple[Compared, ...]:
    if len(reported) == 1:
        return ()
    base, *others = reported
    found = compare(*(each.log for each in reported), score=score, reducer=reducer)["compared"]
    return tuple(
        Compared(
            other,
            {**each, "notes": _named(each["notes"], base, other)},
            _plans(base, other, score, reducer, each),
        )
        for other, each in zip(others, found, strict=True)
    )


def _named(notes: Sequence[str], *runs: ReportedRun) -> list[str]:
    """Return notes with labels instead of file names."""
    found = []
    for note in notes:
        named = [each for each in runs if note.startswith(each.log.path.name)]
        found.append(note.replace(named[0].log.path.name, named[0].label, 1) if named else note)
    return found


def _plans(
    base: ReportedRun, other: ReportedRun, score: str, reducer: str, found: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return what multiples of the items would show; empty if no item differs."""
    if found["least_effect"] is None:
        return []
    both = pair_runs(base.log, other.log, score, reducer)
    return [plan_from_runs(both, times * len(both.keys)) for times in TIMES]
