"""Gathers what a report tells: runs with their scores, and how the others differ from the base."""

from __future__ import annotations

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
"""What the command adds to a file's name; it says nothing of the run."""

MOST_PROMPTS = 2
"""Prompts that a label names; more are no name."""

LONGEST = 80
PROMPT = "prompt:"


def labels(logs: Sequence[EvalLog]) -> list[str]:
    """Return a name for each run, no two alike."""
    told = [_traits_of(log.head) for log in logs]
    alike = {part for part in set().union(*told) if len({each.get(part) for each in told}) == 1}
    if len(logs) == 1:
        alike = {"seed", "epochs"}
    found = [_joined(each, alike) for each in told]
    if not all(found) or len(set(found)) < len(found):
        found = [MOMENT.sub("", log.path.stem) for log in logs]
    found = [shortened_line(name, LONGEST) for name in found]
    return [
        f"{name} ({found[:place].count(name) + 1})" if found.count(name) > 1 else name
        for place, name in enumerate(found)
    ]


def _joined(told: dict[str, str], alike: set[str]) -> str:
    apart = {part: text for part, text in told.items() if part not in alike}
    if sum(part.startswith(PROMPT) for part in apart) > MOST_PROMPTS:
        apart = {part: text for part, text in apart.items() if not part.startswith(PROMPT)}
    return ", ".join(apart.values())


def _traits_of(head: dict[str, Any]) -> dict[str, str]:
    """Return what may tell a run apart, by kind."""
    system = head.get("system") or {}
    prompts = head.get("prompts") or {}
    told = {
        f"{PROMPT}{name}:{each.get('hash')}": f"{name} v{each.get('version')}"
        for name, each in prompts.items()
    }
    way = method_of(head)
    return {
        **({"way": way} if way and way not in prompts else {}),
        **told,
        **({"llm": str(system["llm"])} if system.get("llm") else {}),
        **(
            {"arguments": shortened_line(system["arguments"], 40)}
            if system.get("arguments")
            else {}
        ),
        **{name: f"{name} {head[name]}" for name in ("seed", "epochs") if name in head},
    }


def method_of(head: dict[str, Any]) -> str:
    """Return how items were answered: the name of a tool, a prompt or a function."""
    system = head.get("system") or {}
    return str(system.get("tool") or system.get("prompt") or system.get("function") or "")


TIMES = (1, 2, 4)
"""As many times the items a report tells the least effect of."""


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run as a report tells it.

    Attributes:
        label: what it is called, unlike the others.
        summary: its scores with intervals, usage and notes (`comparing.summary`).
        side: its records and scores by item.
    """

    label: str
    log: EvalLog
    summary: dict[str, Any]
    side: Side


@dataclass(frozen=True, slots=True)
class Compared:
    """How one run differs from the base: `found` as `compare` has it, `plans` of more items."""

    run: ReportedRun
    found: dict[str, Any]
    plans: Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Report:
    """Runs of one suite, the base first, and how the others differ from it.

    Attributes:
        lower: whether a lower score is better.
        written: how scores are written.
    """

    score: str
    reducer: str
    runs: Sequence[ReportedRun]
    lower: bool = False
    written: ScoreFormat = field(default_factory=ScoreFormat)
    compared: Sequence[Compared] = field(default_factory=tuple)

    @property
    def base(self) -> ReportedRun:
        """The run that the others are held against, or the only one."""
        return self.runs[0]

    @property
    def title(self) -> str:
        """The suite's name."""
        return str(self.base.log.head.get("eval") or "eval")


def build_report(*runs: EvalLog | Path, score: str = "", reducer: str = "mean") -> Report:
    """Return what a report of a run, or of several against the first, tells.

    Args:
        runs: one or more, or their files; the first is the base.
        score: which one is compared; the first scorer's if empty.
        reducer: mean, mode, pass@K or pass^K of an item's epochs.

    Raises:
        InvalidArgument: a run cannot be read, or runs have no item or score in common.
    """
    if not runs:
        raise InvalidArgument("runs: name one or more", field="runs")
    logs = [_summarized(open_completed(run)) for run in runs]
    score = score or first_score(logs[0])
    told = [
        ReportedRun(
            label, log, run_summary(RunResult(log), reducer), side(log, score, reducer_of(reducer))
        )
        for label, log in zip(labels(logs), logs, strict=True)
    ]
    return Report(
        score,
        reducer,
        told,
        is_lower_better(logs[0], score),
        ScoreFormat(all(map(_has_shares, logs))),
        _compared(told, score, reducer),
    )


def _has_shares(log: EvalLog) -> bool:
    """Tell whether all scores of a run are shares of 1; counts and the like are not."""
    marks = [
        value for record in log.records for name, value in record.scores.items() if "/" not in name
    ]
    return min(marks, default=0.0) >= 0 and max(marks, default=0.0) <= 1


def _summarized(log: EvalLog) -> EvalLog:
    """Return a run of a suite; the project's own evals have heads and figures of other kinds."""
    if not all(isinstance(log.head.get(name), int) for name in ("items", "epochs")):
        raise InvalidArgument(
            f"runs: {log.path.name} is no run of a suite; reports are of what"
            " `reasonloom eval run FILE` writes",
            field="runs",
        )
    return log


def _compared(told: Sequence[ReportedRun], score: str, reducer: str) -> tuple[Compared, ...]:
    if len(told) == 1:
        return ()
    base, *others = told
    found = compare(*(each.log for each in told), score=score, reducer=reducer)["compared"]
    return tuple(
        Compared(
            other,
            {**each, "notes": _named(each["notes"], base, other)},
            _plans(base, other, score, reducer, each),
        )
        for other, each in zip(others, found, strict=True)
    )


def _named(notes: Sequence[str], *runs: ReportedRun) -> list[str]:
    """Return notes that call runs by their labels, as the rest of a report does."""
    found = []
    for note in notes:
        named = [each for each in runs if note.startswith(each.log.path.name)]
        found.append(note.replace(named[0].log.path.name, named[0].label, 1) if named else note)
    return found


def _plans(
    base: ReportedRun, other: ReportedRun, score: str, reducer: str, found: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return what so many times the items would show; nothing where no item differs."""
    if found["least_effect"] is None:
        return []
    both = pair_runs(base.log, other.log, score, reducer)
    return [plan_from_runs(both, times * len(both.keys)) for times in TIMES]
