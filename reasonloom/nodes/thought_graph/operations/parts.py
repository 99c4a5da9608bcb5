"""Parts of the problem: grouping thoughts by part, merging parts, and conditions on thoughts."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from reasonloom.nodes.thought_graph.operations.state import Thought

JOINT = "+"


def by_part(thoughts: Iterable[Thought]) -> dict[str, list[Thought]]:
    """Group thoughts by part, in order of appearance."""
    found: dict[str, list[Thought]] = {}
    for thought in thoughts:
        found.setdefault(thought["part"], []).append(thought)
    return found


def neighbours(thoughts: Sequence[Thought], size: int | None) -> list[list[Thought]]:
    """Return groups of `size` thoughts of neighbouring parts in part order, or all in one group."""
    ordered = sorted(thoughts, key=lambda each: part_order(each["part"]))
    step = size or max(1, len(ordered))
    return [ordered[at : at + step] for at in range(0, len(ordered), step)]


def part_order(part: str) -> list[list[int]]:
    """Return a sort key for parts in the order in which they were cut."""
    return [[int(number) for number in each.split(".")] for each in part.split(JOINT)]


def join_parts(parts: Iterable[str], cuts: Mapping[str, list[list[str]]]) -> str:
    """Return the part that merged parts form: the original part if all pieces of a cut are there.

    Pieces of a part that is present as a whole are redundant.
    """
    pieces = {piece for part in parts for piece in part.split(JOINT)}
    deepest_first = sorted(cuts, key=lambda part: -part.count("."))
    for part in deepest_first:
        if any(set(cut) <= pieces for cut in cuts[part]):
            pieces.add(part)
    left = (piece for piece in pieces if not piece.startswith(tuple(f"{p}." for p in pieces)))
    return JOINT.join(sorted(left, key=part_order))


def best_score(thoughts: Sequence[Thought]) -> float | None:
    """Return the best score among thoughts, or None if none is scored."""
    return max((each["score"] for each in thoughts if each["score"] is not None), default=None)


def holds(
    condition: Mapping[str, Any], thoughts: Sequence[Thought], before: float | None = None
) -> bool:
    """Return whether all parts of a condition hold; `before` is the previous best score.

    Conditions on scores do not hold if nothing is scored.
    """
    best, parts = best_score(thoughts), len(by_part(thoughts))
    score = math.nan if best is None else best
    gained = best is None or before is None or best > before
    tests: dict[str, Callable[[Any], bool]] = {
        "best_at_least": lambda limit: score >= limit,
        "best_below": lambda limit: score < limit,
        "parts_at_most": lambda limit: parts <= limit,
        "parts_more_than": lambda limit: parts > limit,
        "count_at_most": lambda limit: len(thoughts) <= limit,
        "count_more_than": lambda limit: len(thoughts) > limit,
        "no_gain": lambda wanted: wanted is not gained,
    }
    return all(tests[name](limit) for name, limit in condition.items())
