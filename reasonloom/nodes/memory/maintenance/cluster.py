"""Groups what is alike: complete link, so that in a cluster everything is like everything."""

from __future__ import annotations

from collections.abc import Sequence

from reasonloom.stores.memory.consolidation import Pair


def clusters(pairs: Sequence[Pair], *, least: int, most: int) -> list[list[int]]:
    """Return the clusters of `least` to `most` members, each sorted, the largest first.

    `pairs` are those that are alike enough, the most alike first. Two clusters become one where
    every pair between them is among `pairs`, the most alike first (agglomerative clustering
    with complete linkage, cut at the threshold by which `pairs` were chosen).
    """
    alike = {(pair.one, pair.other) for pair in pairs}
    of: dict[int, list[int]] = {}
    for pair in pairs:
        one = of.setdefault(pair.one, [pair.one])
        other = of.setdefault(pair.other, [pair.other])
        if one is other or len(one) + len(other) > most:
            continue
        if all((min(a, b), max(a, b)) in alike for a in one for b in other):
            one += other
            of.update(dict.fromkeys(other, one))
    found = {id(group): sorted(group) for group in of.values() if len(group) >= least}
    return sorted(found.values(), key=lambda group: (-len(group), group))
