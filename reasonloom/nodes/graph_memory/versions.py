"""The versions of what a node says: its corrections, theirs, and so on, as a tree."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Versions:
    """What stands above a node.

    Attributes:
        newest: the newest of all versions; the node itself where nothing newer is above it.
        heads: versions that nothing newer than themselves supersedes, newest first, and those that
            are outdone by another correction of the same node alone.
        chain: a shortest way of corrections from the node to the newest.
        cycle: corrections lead in a circle.
    """

    newest: int
    heads: list[int]
    chain: list[int]
    cycle: bool


def versions(node: int, edges: Mapping[tuple[int, int], bool]) -> Versions:
    """Return the versions of a node; `edges` are all (newer, older) above it, outdone or not.

    Numbers tell what is newer. In imported files an edge may lead from an older memory to a newer
    one: it counts as a way to the older one and not against the newer one, as in the database.
    """
    over = _over(node, edges)
    heads = _heads(_over(node, (edge for edge, outdone in edges.items() if not outdone), over))
    newest = _heads(over)[0]
    return Versions(newest, heads, _way(over, node, newest), _circular(over))


def _over(
    node: int, edges: Iterable[tuple[int, int]], known: Iterable[int] = ()
) -> dict[int, list[int]]:
    """Return what supersedes each version."""
    over: dict[int, list[int]] = {key: [] for key in (node, *known)}
    for newer, older in edges:
        over.setdefault(older, []).append(newer)
        over.setdefault(newer, [])
    return over


def _heads(over: Mapping[int, list[int]]) -> list[int]:
    return sorted((key for key in over if all(each < key for each in over[key])), reverse=True)


def _way(over: Mapping[int, list[int]], start: int, end: int) -> list[int]:
    """Return a shortest way upwards, by the newest where several are as short."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while end != start and end not in before:
        key = waiting.popleft()
        for higher in sorted(over[key], reverse=True):
            if higher != start and higher not in before:
                before[higher] = key
                waiting.append(higher)
    way = [end]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]


def _circular(over: Mapping[int, list[int]]) -> bool:
    """Tell whether any way upwards comes back: what is left when all ends are taken away."""
    below: dict[int, list[int]] = {}
    left = {key: len(higher) for key, higher in over.items()}
    for key, higher in over.items():
        for each in higher:
            below.setdefault(each, []).append(key)
    ends = [key for key, count in left.items() if count == 0]
    taken = 0
    while ends:
        taken += 1
        for key in below.get(ends.pop(), []):
            left[key] -= 1
            if left[key] == 0:
                ends.append(key)
    return taken < len(over)
