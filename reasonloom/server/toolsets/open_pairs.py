"""Finds, in the answers of tools, the pair of memories that the user can settle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reasonloom.contracts.graph_memory.grounding import HeldMemoryGround
from reasonloom.contracts.memory.tools import SupersedingRemember
from reasonloom.server.toolsets.pair import MemoryPair

QUOTED = 200
"""Characters of a memory in a question."""

REPLACED = "Does this replace an older memory?\nNew: “{newer}”\nOlder (mem-{older}): “{text}”"
CONTRADICTED = (
    "Two memories contradict each other. Which one is right?\n"
    "mem-{newer} (newer): “{one}”\nmem-{older}: “{other}”"
)
EITHER = 0.5
"""The weight of the edge between two memories that contradict each other: either may hold."""

Json = dict[str, Any]


def replaced_pair(request: SupersedingRemember, answer: Mapping[str, Any]) -> MemoryPair | None:
    """Return a new memory and the likeliest one that it may replace but does not certainly.

    Certain ones are for `REASONLOOM_SUPERSEDE=auto` or the agent; another's space is not the
    user's own.
    """
    from reasonloom.nodes.memory.replacement import SURE  # noqa: PLC0415 - heavy

    newer = _number(answer["memoryId"])
    unsure = [each for each in answer.get("mayReplace") or () if each["confidence"] < SURE]
    if newer is None or not unsure:
        return None
    older = _number(unsure[0]["id"])
    if older is None or older >= newer:
        return None
    question = REPLACED.format(
        newer=_quoted(request.content), older=older, text=_quoted(unsure[0]["content"])
    )
    return MemoryPair(newer, older, unsure[0]["confidence"], question)


def settled_replacement(
    answer: Mapping[str, Any], notes: Sequence[str], older: int
) -> tuple[Json, list[str]]:
    """Return the answer and notes of `remember` once the user confirmed what is replaced."""
    from reasonloom.nodes.memory.replacement import HOW  # noqa: PLC0415 - heavy

    name = f"mem-{older}"
    left = [each for each in answer.get("mayReplace") or () if each["id"] != name]
    settled = {key: value for key, value in answer.items() if key != "mayReplace"}
    settled["superseded"] = [*(answer.get("superseded") or ()), name]
    if left:
        settled["mayReplace"] = left
    return settled, [each for each in notes if left or each != HOW]


def contradicting_pair(request: HeldMemoryGround, answer: Mapping[str, Any]) -> MemoryPair | None:
    """Return a memory that supports a claim about now and one that contradicts it, if any."""
    if request.as_of or request.between:
        return None
    found: dict[str, Json] = {}
    for each in answer["evidence"]:
        if each["superseded_by"] is None:
            found.setdefault(each["relation"], each)
    if not found.keys() >= {"supports", "contradicts"}:
        return None
    pair = (found["supports"], found["contradicts"])
    newer, older = sorted(pair, key=lambda each: -int(each["node_id"]))
    question = CONTRADICTED.format(
        newer=newer["node_id"],
        one=_quoted(newer["content"]),
        older=older["node_id"],
        other=_quoted(older["content"]),
    )
    return MemoryPair(newer["node_id"], older["node_id"], EITHER, question, either=True)


def _number(name: str) -> int | None:
    """Return the number of a memory in the user's own space; None in another space."""
    number = name.removeprefix("mem-")
    return int(number) if number.isdecimal() else None


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUOTED else f"{line[: QUOTED - 1]}…"
