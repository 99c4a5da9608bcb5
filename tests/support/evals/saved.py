"""Saved runs of the packaged example's two prompt versions, the same at each writing."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reasonloom.evals.example import FILES
from reasonloom.evals.log import EvalLog, Record
from tests.support.evals.example import WORDY, WRONG

PROMPT = "support/label"
ANSWERS = {1: WORDY, 2: WRONG}
DAY = 86_400


def save_versions(home: Path, *versions: int, more: Mapping[str, str] | None = None) -> list[Path]:
    """Save a run of each version, oldest first, with `more` questions that each repeats."""
    return [
        save_run(home, f"support-{version}", version, at=place, more=more or {})
        for place, version in enumerate(versions or (1, 2), 1)
    ]


def save_run(
    home: Path,
    name: str,
    version: int,
    *,
    at: int = 1,
    more: Mapping[str, str] | None = None,
    **head: Any,
) -> Path:
    """Save one run, written on the day `at` of 1970."""
    with (FILES / "messages.csv").open(encoding="utf-8") as file:
        rows = [(each["id"], each["message"], each["label"]) for each in csv.DictReader(file)]
    rows += [(item, text, text) for item, text in (more or {}).items()]
    prompt = next((FILES / "prompts").rglob(f"*.v{version}.md")).read_text(encoding="utf-8")
    path = home / "evals" / f"{name}.jsonl"
    path.unlink(missing_ok=True)
    log = EvalLog(path)
    log.begin({
        "eval": "support", "items": len(rows), "epochs": 1, "seed": 0,
        "scorers": [{"scorer": "exact"}], "system": {"prompt": PROMPT, "llm": "scripted"},
        "prompts": {PROMPT: {"version": version, "hash": f"hash-{version}"}},
        "texts": {f"hash-{version}": prompt}, **head,
    })  # fmt: skip
    for item, message, label in rows:
        answer = f"{label} v{version}" if item in (more or {}) else _answer(item, label, version)
        score, words = float(answer == label), len(f"{prompt} {message}".split())
        usage = {"calls": 1.0, "tokens_in": float(words), "tokens_out": float(len(answer.split()))}
        log.add(Record(item, 0, "", {"exact": score}, 1.0, "of", "", message, label, answer,
                       usage=usage))  # fmt: skip
    os.utime(path, (at * DAY, at * DAY))
    return path


def _answer(item: str, label: str, version: int) -> str:
    return ANSWERS[version].get(item, label)
