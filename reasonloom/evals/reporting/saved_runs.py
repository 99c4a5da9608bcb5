"""The eval runs in a folder, as displayed in a list."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.comparison.summary import run_summary
from reasonloom.evals.core.run import RunResult
from reasonloom.evals.log import HEAD, EvalLog
from reasonloom.evals.reporting.report import labels

ENDING = ".jsonl"
LARGEST = 64_000_000
"""Larger runs are not read."""


@dataclass(frozen=True, slots=True)
class SavedRun:
    """One run by its file's name.

    `system` is what answered: tool, prompt versions, language model; "" if the file has no head.
    `done` of `of` records are present, `of` is 0 if unknown. `scores` are mean and 95 % interval by
    name, empty until there is a summary; `changed` is the file's time in seconds since 1970.
    """

    name: str
    system: str
    done: int
    of: int
    scores: Mapping[str, Mapping[str, Any]]
    usd: float
    changed: float


def run_names(folder: Path) -> list[str]:
    """Return the runs of a folder, most recently written first."""
    paths = [path for path in folder.glob(f"*{ENDING}") if path.is_file()]
    return [path.name for path in sorted(paths, key=lambda path: -path.stat().st_mtime)]


def head_of(path: Path) -> dict[str, Any]:
    """Return the head of a run's file, which is its first line; empty if it has none."""
    with path.open(encoding="utf-8", errors="replace") as file:
        line = file.readline(LARGEST)
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    head = found.get(HEAD) if isinstance(found, dict) else None
    return head if isinstance(head, dict) else {}


def path_in(folder: Path, name: str) -> Path:
    """Return the file of a run by its name; UnknownName if the folder has none."""
    if name not in run_names(folder):
        raise UnknownName(f"there is no run {name[:80]}", field="run")
    return folder / name


def saved_run(path: Path) -> SavedRun:
    """Summarise a run, complete or not."""
    stat = path.stat()
    if stat.st_size > LARGEST:
        return SavedRun(path.name, "", 0, 0, {}, 0.0, stat.st_mtime)
    try:
        log = EvalLog(path)
        summed = run_summary(RunResult(log)) if log.records and "items" in log.head else {}
    except (InvalidArgument, KeyError, ValueError):
        log, summed = EvalLog(path.with_name("none")), {}
    return SavedRun(
        path.name,
        labels([log])[0] if log.head else "",
        len(log.records),
        int(summed.get("of", 0)),
        summed.get("scores", {}),
        float(summed.get("usage", {}).get("usd", 0.0)),
        stat.st_mtime,
    )
