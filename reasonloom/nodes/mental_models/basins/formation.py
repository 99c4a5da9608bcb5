"""Forms basins: clusters found anew, known again by their members, with words and names."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from reasonloom.errors import Conflict
from reasonloom.nodes.mental_models.basins.clusters import (
    SAMPLE,
    SEED,
    Cluster,
    ClusterSet,
    ReportProgress,
    find_clusters,
    no_progress,
)
from reasonloom.nodes.mental_models.basins.naming import cluster_keywords, name_of
from reasonloom.stores.mental_models import basin_memories, basins
from reasonloom.stores.mental_models.basins import Basin, BasinRun, KnownBasins

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.loom import Loom
    from reasonloom.stores.database import Transaction


LEAST_OVERLAP = 0.5
"""The least overlap (Jaccard: shared members by members of either) by which a basin goes on."""


@dataclass(frozen=True, slots=True)
class BasinMatch:
    """A cluster that goes on an old basin, and their overlap, 0.5..1."""

    basin: UUID
    overlap: float


def match_basins(
    clusters: Sequence[Collection[int]], basins: Mapping[UUID, Collection[int]]
) -> list[BasinMatch | None]:
    """Return for each cluster the basin that it goes on, one to one, the largest overlap first."""
    home = {memory: basin for basin, members in basins.items() for memory in members}
    pairs: list[tuple[float, int, UUID]] = []
    for place, cluster in enumerate(clusters):
        shared = Counter(home[memory] for memory in cluster if memory in home)
        for basin, count in shared.items():
            overlap = count / (len(cluster) + len(basins[basin]) - count)
            if overlap >= LEAST_OVERLAP:
                pairs.append((overlap, place, basin))
    found: list[BasinMatch | None] = [None] * len(clusters)
    taken: set[UUID] = set()
    for overlap, place, basin in sorted(pairs, key=lambda pair: (-pair[0], pair[1], str(pair[2]))):
        if found[place] is None and basin not in taken:
            found[place] = BasinMatch(basin, overlap)
            taken.add(basin)
    return found


BY_TERMS = "terms"
NAME_STAYS = 0.7
"""The least overlap with what a basin was by which it keeps its name."""

MOST_TEXTS = 100
"""Memories of a basin, the strongest, whose words are counted."""

MOST_TEXTS_ALONE = 1_000
"""Memories of no basin whose words are counted beside."""

LONGEST = 2_000
"""Characters read of one memory."""


@dataclass(frozen=True, slots=True)
class FormedBasins:
    """The basins of all memories as they are now, not yet kept.

    Attributes:
        basins: the largest first.
        members: the strength of each member, 0..1.
        fresh: the basins that were not there before.
        renamed: those whose name may be given anew: they are fresh or changed much, or were
            named by their words.
        vanished: the basins that were there before and that no cluster goes on.
        alone: how many memories belong to none.
        sampled: how many of `memories` were clustered by density; the rest by nearness.
        before: the run that the old basins are from.
    """

    basins: list[Basin]
    members: Mapping[UUID, Mapping[int, float]]
    fresh: frozenset[UUID]
    renamed: frozenset[UUID]
    vanished: list[Basin]
    alone: int
    memories: int
    sampled: int
    run: BasinRun
    before: BasinRun | None = None
    texts: Mapping[UUID, Sequence[str]] = field(default_factory=dict)


async def form_basins(
    loom: Loom,
    caller: Caller,
    at: datetime,
    *,
    sample: int = SAMPLE,
    tell: ReportProgress = no_progress,
) -> FormedBasins:
    """Return the basins of what the caller's space holds now; nothing is kept yet.

    Raises:
        SettingMistake: the library that clusters is not installed.
    """
    async with loom.database.begin(caller, searching=True) as tx:
        known = await basins.known(tx)
    found = await find_clusters(loom, caller, sample=sample, tell=tell)
    clusters = sorted(found.clusters, key=lambda each: (-len(each.members), min(each.members)))
    matches = match_basins(
        [each.members for each in clusters],
        {each.id: known.members.get(each.id, {}) for each in known.basins},
    )
    texts, others = await _texts(loom, caller, clusters, found)
    words = cluster_keywords(texts, others)
    old = {each.id: each for each in known.basins}
    made = [
        _basin(cluster, match, old, said, loom.embedder.model)
        for cluster, match, said in zip(clusters, matches, words, strict=True)
    ]
    through = max(found.ids, default=0)
    async with loom.database.begin(caller, searching=True) as tx:
        present, _ = await basin_memories.counted(tx, through)
    run = BasinRun(at, loom.embedder.model, present, through, through)
    return _formed_basins(known, found, clusters, matches, made, texts, run)


def _basin(
    cluster: Cluster,
    match: BasinMatch | None,
    old: Mapping[UUID, Basin],
    words: list[str],
    model: str,
) -> Basin:
    """Return a cluster as a basin: one that goes on keeps its id, and its name if it stayed."""
    shape = cluster.shape
    made = Basin(
        uuid4(), name_of(words), BY_TERMS, words, model, shape.coherence, shape.bound,
        shape.centroid,
    )  # fmt: skip
    if match is None:
        return made
    before = old[match.basin]
    if match.overlap >= NAME_STAYS:
        return replace(made, id=before.id, name=before.name, named_by=before.named_by)
    return replace(made, id=before.id)


def _formed_basins(
    known: KnownBasins,
    found: ClusterSet,
    clusters: Sequence[Cluster],
    matches: Sequence[BasinMatch | None],
    made: list[Basin],
    texts: Sequence[Sequence[str]],
    run: BasinRun,
) -> FormedBasins:
    going_on = {each.basin for each in matches if each}
    return FormedBasins(
        basins=made,
        members={each.id: one.members for each, one in zip(made, clusters, strict=True)},
        fresh=frozenset(each.id for each in made if each.id not in going_on),
        renamed=frozenset(each.id for each in made if each.named_by == BY_TERMS),
        vanished=[each for each in known.basins if each.id not in going_on],
        alone=len(found.alone),
        memories=len(found.ids),
        sampled=found.sampled,
        run=run,
        before=known.run,
        texts={each.id: said for each, said in zip(made, texts, strict=True)},
    )


async def _texts(
    loom: Loom, caller: Caller, clusters: Sequence[Cluster], found: ClusterSet
) -> tuple[list[list[str]], list[str]]:
    """Return the texts of each cluster's strongest members, and some of those in none."""
    chosen = [_strongest(each) for each in clusters]
    texts: list[list[str]] = []
    for ids in chosen:
        async with loom.database.begin(caller) as tx:
            read = await basin_memories.contents(tx, ids, most=LONGEST)
        texts.append([read[each] for each in ids if each in read])
    alone = found.alone
    if len(alone) > MOST_TEXTS_ALONE:
        alone = random.Random(SEED).sample(alone, MOST_TEXTS_ALONE)  # noqa: S311 - a sample, no secret
    async with loom.database.begin(caller) as tx:
        others = await basin_memories.contents(tx, alone, most=LONGEST)
    return texts, list(others.values())


def _strongest(cluster: Cluster) -> list[int]:
    members = cluster.members
    return sorted(members, key=lambda each: (-members[each], each))[:MOST_TEXTS]


async def persist_basins(tx: Transaction, formed: FormedBasins) -> None:
    """Make what was formed the owner's basins.

    Raises:
        Conflict: somebody else formed basins meanwhile; nothing is written.
    """
    if await basins.hold(tx) != formed.before:
        raise Conflict("the clusters were formed by another process meanwhile; look again")
    await basins.replace(tx, formed.basins, formed.members, formed.run.formed_at)
    await basins.note(tx, formed.run)
