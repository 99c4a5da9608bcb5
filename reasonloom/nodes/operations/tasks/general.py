"""Any problem in words: thoughts are continued, improved and merged; blind ballots judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reasonloom.nodes.operations.task import Asked, Candidate, Move, Task
from reasonloom.nodes.treesearch.orders import label


def _continuing(asked: Asked) -> dict[str, Any]:
    return {
        "problem": asked.problem["text"],
        "node": asked.thoughts[0]["text"],
        "line": [{"content": each["text"]} for each in asked.line],
        "siblings": [],
        "memories": asked.memories,
        "count": asked.count,
    }


def _continued(asked: Asked, said: Mapping[str, Any]) -> list[Candidate]:
    there = {asked.problem["text"], asked.thoughts[0]["text"]}
    found = [each for each in said["continuations"] if each["thought"] not in there]
    return [Candidate(each["thought"], None, each["confidence"]) for each in found[: asked.count]]


def _refining(asked: Asked) -> dict[str, Any]:
    return {
        "problem": asked.problem["text"],
        "node": asked.thoughts[0]["text"],
        "line": [{"content": each["text"]} for each in asked.line],
        "memories": asked.memories,
    }


def _refined(asked: Asked, said: Mapping[str, Any]) -> list[Candidate]:
    return [Candidate(said["thought"], {"critique": said["critique"]}, said["confidence"])]


def _merging(asked: Asked) -> dict[str, Any]:
    inputs = [
        {"label": label(place), "content": each["text"]}
        for place, each in enumerate(asked.thoughts)
    ]
    return {"problem": asked.problem["text"], "inputs": inputs}


def _merged(asked: Asked, said: Mapping[str, Any]) -> list[Candidate]:
    return [Candidate(said["thought"], None, said["confidence"])]


GENERAL = Task(
    name="general",
    moves={
        "generate": Move("got/generate", _continuing, _continued, "got_generate", plain=True),
        "refine": Move("got/refine", _refining, _refined, "got_refine", plain=True),
        "aggregate": Move(
            "got/aggregate", _merging, _merged, "got_aggregate", plain=True, takes=None
        ),
    },
)
