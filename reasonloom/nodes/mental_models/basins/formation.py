"""Forms basins: finds clusters, matches them with existing basins, and names them."""

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID, uuid4

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.mental_models.basins.membership import (
    SAMPLE,
    SEED,
    Cluster,
    ClusterSet,
    find_clusters,
)
from reasonloom.nodes.mental_models.basins.naming import cluster_keywords, name_of
from reasonloom.stores.database import Transaction
from reasonloom.stores.mental_models import basin_memories, basins
from reasonloom.stores.mental_models.basins import Basin, BasinRun, KnownBasins

LEAST_OVERLAP = 0.5
"""Minimum Jaccard index of the members for a cluster to continue a basin."""


@dataclass(frozen=True, slots=True)
class BasinMatch:
    """The existing basin that a cluster continues, and their overlap, 0.5..1."""

    basin: UUID
    overlap: float


def match_basins(
    clusters: Sequence[Collection[int]], basins: Mapping[UUID, Collection[int]]
) -> list[BasinMatch | None]:
    """Match clusters and basins one to one, greedily by largest overlap."""
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
NAME_STAYS = 0.6
"""Minimum overlap for a basin to retain its name."""

MOST_TEXTS = 100
"""Number of strongest memories of a basin whose words are counted."""

MOST_TEXTS_ALONE = 1_000
"""Number of memories without a basin whose words are counted."""

LONGEST_TEXT = 2_000


@dataclass(frozen=True, slots=True)
class FormedBasins:
    """The basins of all memories, not yet persisted.

    Attributes:
        basins: the basins, largest first.
        members: the strength of each member, 0..1, by basin.
        fresh: the new basins.
        renamed: the basins that may get a new name: new, much changed, or named by keywords.
        vanished: the previous basins that no cluster continues.
        alone: the number of memories in no basin.
        sampled: how many of `memories` were clustered by density; the rest joined the nearest.
        before: the run that formed the previous basins.
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
    loom: Loom, caller: Caller, at: datetime, *, sample: int = SAMPLE
) -> FormedBasins:
    """Return the basins of the caller's space, not yet persisted.

    Raises:
        SettingMistake: scikit-learn is not installed.
    """
    async with loom.database.begin(caller, searching=True) as tx:
        known = await basins.known(tx)
    found = await find_clusters(loom, caller, sample=sample)
    clusters = sorted(found.clusters, key=lambda each: (-len(each.members), min(each.members)))
    matches = match_basins(
        [each.members for each in clusters],
        {each.id: known.members.get(each.id, {}) for each in known.basins},
    )
    texts, others = await _texts(loom, caller, clusters, found)
    words = cluster_keywords(texts, others)
    old = {each.id: each for each in known.basins}
    made = [
        _basin(cluster, match, old, keywords, loom.embedder.model)
        for cluster, match, keywords in zip(clusters, matches, words, strict=True)
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
    """Build the basin of a cluster; a match passes on its id and, if it is close, its name."""
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
        texts={each.id: some for each, some in zip(made, texts, strict=True)},
    )


async def _texts(
    loom: Loom, caller: Caller, clusters: Sequence[Cluster], found: ClusterSet
) -> tuple[list[list[str]], list[str]]:
    """Return the texts of each cluster's strongest members, and of a sample of the others."""
    texts: list[list[str]] = []
    for cluster in clusters:
        strength = cluster.members
        ids = sorted(strength, key=lambda each: (-strength[each], each))[:MOST_TEXTS]
        async with loom.database.begin(caller) as tx:
            read = await basin_memories.contents(tx, ids, most=LONGEST_TEXT)
        texts.append([read[each] for each in ids if each in read])
    alone = found.alone
    if len(alone) > MOST_TEXTS_ALONE:
        alone = random.Random(SEED).sample(alone, MOST_TEXTS_ALONE)  # noqa: S311 - a sample, no secret
    async with loom.database.begin(caller) as tx:
        others = await basin_memories.contents(tx, alone, most=LONGEST_TEXT)
    return texts, list(others.values())


async def persist_basins(tx: Transaction, formed: FormedBasins) -> None:
    """Replace the owner's basins.

    Raises:
        Conflict: another process formed basins concurrently; nothing is written.
    """
    if await basins.hold(tx) != formed.before:
        raise Conflict("the clusters were formed by another process meanwhile; look again")
    await basins.replace(tx, formed.basins, formed.members, formed.run.formed_at)
    await basins.note(tx, formed.run)
