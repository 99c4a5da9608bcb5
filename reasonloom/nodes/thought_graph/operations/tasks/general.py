"""Any problem in words: thoughts are continued, improved and merged; blind ballots judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reasonloom.llm.offline.fill import NOTHING_KNOWN
from reasonloom.nodes.reasoning.tree_search.deduplication import normalised
from reasonloom.nodes.reasoning.tree_search.orders import label
from reasonloom.nodes.thought_graph.operations.task import Candidate, Move, Task, TaskQuestion

STOPS = ".!?\u2026\u3002\uff01\uff1f"
"""Where a text says the same with another at its end, or with none."""


def _generate_variables(asked: TaskQuestion) -> dict[str, Any]:
    return {
        "problem": asked.problem["text"],
        "node": asked.thoughts[0]["text"],
        "line": [{"content": each["text"]} for each in asked.line],
        "siblings": [],
        "memories": asked.memories,
        "count": asked.count,
    }


def _read_continuations(asked: TaskQuestion, said: Mapping[str, Any]) -> list[Candidate]:
    before = asked.thoughts[0]["text"]
    new = [each for each in said["continuations"] if each["thought"] != before]
    found = [each for each in new if _adds_anything(asked, each)]
    return [Candidate(each["thought"], None, each["confidence"]) for each in found[: asked.count]]


def _refine_variables(asked: TaskQuestion) -> dict[str, Any]:
    return {
        "problem": asked.problem["text"],
        "node": asked.thoughts[0]["text"],
        "line": [{"content": each["text"]} for each in asked.line],
        "memories": asked.memories,
    }


def _read_refinement(asked: TaskQuestion, said: Mapping[str, Any]) -> list[Candidate]:
    made = Candidate(said["thought"], {"critique": said["critique"]}, said["confidence"])
    return [made] if _adds_anything(asked, said) else []


def _merge_variables(asked: TaskQuestion) -> dict[str, Any]:
    inputs = [
        {"label": label(place), "content": each["text"]}
        for place, each in enumerate(asked.thoughts)
    ]
    return {"problem": asked.problem["text"], "inputs": inputs}


def _read_merger(asked: TaskQuestion, said: Mapping[str, Any]) -> list[Candidate]:
    return (
        [Candidate(said["thought"], None, said["confidence"])]
        if _adds_anything(asked, said)
        else []
    )


def _adds_anything(asked: TaskQuestion, said: Mapping[str, Any]) -> bool:
    """Tell whether a thought says anything: the problem said again is none, nor is knowing none."""
    return _bare(said["thought"]) not in (_bare(asked.problem["text"]), _bare(NOTHING_KNOWN))


def _bare(text: str) -> str:
    return normalised(text).rstrip(STOPS)


GENERAL = Task(
    name="general",
    moves={
        "generate": Move(
            "got/generate", _generate_variables, _read_continuations, "got_generate", plain=True
        ),
        "refine": Move("got/refine", _refine_variables, _read_refinement, "got_refine", plain=True),
        "aggregate": Move(
            "got/aggregate", _merge_variables, _read_merger, "got_aggregate", plain=True, takes=None
        ),
    },
)
