"""Maps our own set to memories and questions, and does nothing else to it."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.memory.collection import Collection, Question, Source, Stored

HALVES = ("dev", "held", "all")
FOLDER = "reasonloom.evals.suites.memory"


def load(source: Source) -> tuple[list[Collection], str]:
    """Return the set with the questions of one half or of both, and its SHA-256.

    Raises:
        InvalidArgument: another half, or a data file where none belongs.
    """
    if source.half not in HALVES:
        raise InvalidArgument(f"half: must be one of {', '.join(HALVES)}", field="half")
    if source.data is not None:
        raise InvalidArgument("data: the set comes with the package; leave it out", field="data")
    memories, first = _lines("memories.jsonl")
    questions, second = _lines("questions.jsonl")
    wanted = [each for each in questions if source.half in (each["half"], "all")]
    collection = Collection("people", tuple(map(_stored, memories)), tuple(map(_question, wanted)))
    return [collection], hashlib.sha256(first + second + source.half.encode()).hexdigest()


def _lines(name: str) -> tuple[list[dict[str, Any]], bytes]:
    raw = (files(FOLDER) / name).read_bytes()
    return [json.loads(line) for line in raw.splitlines()], raw


def _stored(memory: dict[str, Any]) -> Stored:
    return Stored(
        memory["key"],
        {
            "content": memory["content"],
            "sessionId": memory["session"],
            "primarySector": memory["sector"],
            "metadata": {"tags": memory["tags"], "context": memory["context"]},
        },
    )


def _question(asked: dict[str, Any]) -> Question:
    evidence = frozenset(asked["evidence"])
    return Question(asked["key"], asked["question"], evidence, asked["category"])
