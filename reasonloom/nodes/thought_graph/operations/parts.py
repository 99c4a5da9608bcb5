"""Which part of the problem a thought is about, and what becomes of parts that are merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reasonloom.nodes.thought_graph.operations.state import Thought

JOINT = "+"


def groups(thoughts: Iterable[Thought]) -> dict[str, list[Thought]]:
    """Return thoughts by part, parts and thoughts in the order in which they come."""
    found: dict[str, list[Thought]] = {}
    for thought in thoughts:
        found.setdefault(thought["part"], []).append(thought)
    return found


def neighbours(thoughts: Sequence[Thought], size: int | None) -> list[list[Thought]]:
    """Return thoughts of neighbouring parts, `size` at a time or all at once, in parts' order."""
    ordered = sorted(thoughts, key=lambda each: place(each["part"]))
    step = size or max(1, len(ordered))
    return [ordered[at : at + step] for at in range(0, len(ordered), step)]


def place(part: str) -> list[list[int]]:
    """Return a key that sorts parts as they were cut."""
    return [[int(number) for number in each.split(".")] for each in part.split(JOINT)]


def joined(parts: Iterable[str], cuts: Mapping[str, list[list[str]]]) -> str:
    """Return the part that merged parts make: the one that was cut, where all of a cut is there.

    A piece of what is there whole adds nothing.
    """
    pieces = {piece for part in parts for piece in part.split(JOINT)}
    deepest_first = sorted(cuts, key=lambda part: -part.count("."))
    for part in deepest_first:
        if any(set(cut) <= pieces for cut in cuts[part]):
            pieces.add(part)
    left = (piece for piece in pieces if not any(_is_within(piece, other) for other in pieces))
    return JOINT.join(sorted(left, key=place))


def _is_within(piece: str, other: str) -> bool:
    return piece.startswith(f"{other}.")
