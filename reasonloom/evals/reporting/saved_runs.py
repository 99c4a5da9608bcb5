"""The runs of evals that a folder holds, as a list shows them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.comparison.summary import run_summary
from reasonloom.evals.core.run import RunResult
from reasonloom.evals.log import EvalLog

ENDING = ".jsonl"
LARGEST = 64_000_000
"""Bytes of a run that is summed up; of a larger one the head alone is read."""


@dataclass(frozen=True, slots=True)
class SavedRun:
    """One run.

    Attributes:
        name: its file's name.
        suite: the eval that it is a run of, "" where the file does not say.
        done, of: records that are there, and how many there will be; `of` 0 where unknown.
        scores: by name mean and 95 % interval; empty where nothing can be summed up yet.
        changed: when the file was last written, in seconds since 1970.
    """

    name: str
    suite: str
    done: int
    of: int
    scores: Mapping[str, Mapping[str, Any]]
    usd: float
    changed: float


def run_names(folder: Path) -> list[str]:
    """Return the runs of a folder, those last written first."""
    paths = [path for path in folder.glob(f"*{ENDING}") if path.is_file()]
    return [path.name for path in sorted(paths, key=lambda path: -path.stat().st_mtime)]


def path_in(folder: Path, name: str) -> Path:
    """Return the file of a run by its name.

    Raises:
        UnknownName: the folder holds none such; a path out of it is none.
    """
    if name not in run_names(folder):
        raise UnknownName(f"there is no run {name[:80]}", field="run")
    return folder / name


def saved_run(path: Path) -> SavedRun:
    """Sum up a run, as far as it has come."""
    stat = path.stat()
    if stat.st_size > LARGEST:
        return SavedRun(path.name, _suite(path), 0, 0, {}, 0.0, stat.st_mtime)
    try:
        log = EvalLog(path)
        told = run_summary(RunResult(log)) if log.records and "items" in log.head else {}
    except (InvalidArgument, KeyError, ValueError):
        log, told = EvalLog(path.with_name("none")), {}
    return SavedRun(
        path.name,
        str(log.head.get("eval", "")),
        len(log.records),
        int(told.get("of", 0)),
        told.get("scores", {}),
        float(told.get("usage", {}).get("usd", 0.0)),
        stat.st_mtime,
    )


def _suite(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        try:
            return str(json.loads(file.readline())["head"]["eval"])
        except (ValueError, KeyError, TypeError):
            return ""
