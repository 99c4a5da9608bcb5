"""Which new cluster is which old basin: by the members that both have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

SAME = 0.5
"""The least overlap (Jaccard: shared members by members of either) by which a basin goes on."""


@dataclass(frozen=True, slots=True)
class Match:
    """A cluster that goes on an old basin, and their overlap, 0.5..1."""

    basin: UUID
    overlap: float


def matched(
    clusters: Sequence[Collection[int]], basins: Mapping[UUID, Collection[int]]
) -> list[Match | None]:
    """Return for each cluster the basin that it goes on, one to one, the largest overlap first."""
    home = {memory: basin for basin, members in basins.items() for memory in members}
    pairs: list[tuple[float, int, UUID]] = []
    for place, cluster in enumerate(clusters):
        shared = Counter(home[memory] for memory in cluster if memory in home)
        for basin, count in shared.items():
            overlap = count / (len(cluster) + len(basins[basin]) - count)
            if overlap >= SAME:
                pairs.append((overlap, place, basin))
    found: list[Match | None] = [None] * len(clusters)
    taken: set[UUID] = set()
    for overlap, place, basin in sorted(pairs, key=lambda pair: (-pair[0], pair[1], str(pair[2]))):
        if found[place] is None and basin not in taken:
            found[place] = Match(basin, overlap)
            taken.add(basin)
    return found
