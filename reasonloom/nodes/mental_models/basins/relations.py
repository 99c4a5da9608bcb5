"""Derives relations between basins from their members' edges, from time, and from centroids.

W is the sum of edge weights (each multiplied by the weaker of its two memberships) and N a number
of sessions. DOUBT = 2 keeps a single piece of evidence weak and every strength below 1:

- causal, from A to B: edges `caused_by` from B's members to A's. W / (W + W of the opposite
  direction + DOUBT).
- temporal, A before B: edges `temporal_next` and the sessions in which A's first memory precedes
  B's. (W + N - the same of the opposite direction) / (sum of all four + DOUBT), if positive.
- hierarchical, from the broader A to the narrower B: edges `part_of` from B's members to A's, as
  for causal; or, if B's centroid lies within A's bound but not vice versa, their cosine.
- associated, undirected (from the smaller id): all other edges in either direction, W / (W +
  DOUBT); or the cosine of the centroids relative to the mean of all pairs, (cosine - mean) /
  (1 - mean).

Relations weaker than LEAST are dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal
from uuid import UUID

import numpy as np

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.mental_models.models import Relation, Relations
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.mental_models.accuracy import DIGITS
from reasonloom.stores.database import Transaction
from reasonloom.stores.mental_models import basin_lists, basins
from reasonloom.stores.mental_models.basin_lists import BasinLinks, BasinOrder
from reasonloom.stores.mental_models.basins import Basin

Kind = Literal["causal", "temporal", "hierarchical", "associated"]
DOUBT = 2.0
LEAST = 0.2
MOST = 200
MOST_COMPARED = 500
"""Number of newest basins whose centroids are compared."""

OTHERS = ("related_to", "supports", "contradicts", "derived_from", "supersedes")
Pair = tuple[UUID, UUID]


@dataclass(frozen=True, slots=True)
class BasinRelation:
    """A relation between two basins: its strength, 0..1, and the evidence for it.

    Attributes:
        edges: number of edges between members.
        sessions: number of sessions that show the temporal order.
        cosine: cosine of the centroids; None if they were not compared.
    """

    source: UUID
    target: UUID
    kind: Kind
    strength: float
    edges: int
    sessions: int
    cosine: float | None


class _Evidence:
    """The evidence between basins, by pair."""

    def __init__(self, links: Sequence[BasinLinks], orders: Sequence[BasinOrder]) -> None:
        self.links = {(each.source, each.target, each.type): each for each in links}
        self.orders = {(each.source, each.target): each.count for each in orders}

    def weight(self, source: UUID, target: UUID, *types: str) -> float:
        """Return the total weight of the edges of these types in one direction."""
        found = (self.links.get((source, target, each)) for each in types)
        return sum(float(link.weight) for link in found if link)

    def count(self, source: UUID, target: UUID, *types: str) -> int:
        """Return the number of edges of these types in one direction."""
        found = (self.links.get((source, target, each)) for each in types)
        return sum(link.count for link in found if link)


async def find_relations(tx: Transaction, ids: Sequence[UUID] | None = None) -> list[BasinRelation]:
    """Return the relations between the owner's basins, or between `ids`, strongest first."""
    links, orders = await basin_lists.relations(tx, ids)
    there = await basins.basins(tx, ids)
    cosines = _cosines(there)
    seen = _Evidence(links, orders)
    named = {each.id: each for each in there}
    found: list[BasinRelation] = []
    mean = float(np.mean(list(cosines.values()))) if cosines else 0.0
    for first, second in _pairs(seen, named, cosines):
        found += _directed((first, second), seen, named, cosines)
        found += _directed((second, first), seen, named, cosines)
        found += _associated((first, second), seen, cosines, mean)
    strong = [each for each in found if each.strength >= LEAST]
    return sorted(strong, key=lambda each: (-each.strength, each.kind, str(each.source)))[:MOST]


def _pairs(
    seen: _Evidence, named: Mapping[UUID, Basin], cosines: Mapping[Pair, float]
) -> list[Pair]:
    """Return each pair with any evidence once, smaller id first."""
    met = {(source, target) for source, target, _ in seen.links} | seen.orders.keys()
    ordered = {(min(pair, key=str), max(pair, key=str)) for pair in met}
    there = (pair for pair in ordered | cosines.keys() if named.keys() >= set(pair))
    return sorted(there, key=str)


def _cosines(there: Sequence[Basin]) -> dict[Pair, float]:
    newest = sorted(there, key=lambda each: (str(each.formed_at), str(each.id)))[-MOST_COMPARED:]
    found: dict[Pair, float] = {}
    for model in {each.model for each in newest}:
        ordered = sorted((one for one in newest if one.model == model), key=lambda one: str(one.id))
        rows = np.stack([each.centroid for each in ordered])
        table = np.clip(rows @ rows.T, -1, 1)
        for first, second in combinations(range(len(ordered)), 2):
            found[ordered[first].id, ordered[second].id] = float(table[first, second])
    return found


def _directed(
    pair: Pair, seen: _Evidence, named: Mapping[UUID, Basin], cosines: Mapping[Pair, float]
) -> list[BasinRelation]:
    source, target = pair
    cosine = cosines.get(pair, cosines.get((target, source)))
    found: list[BasinRelation] = []

    def add(kind: Kind, strength: float, edges: int = 0, sessions: int = 0) -> None:
        if strength > 0:
            found.append(BasinRelation(source, target, kind, strength, edges, sessions, cosine))

    add("causal", _share(seen, pair, "caused_by"), seen.count(target, source, "caused_by"))
    ours, theirs = seen.orders.get(pair, 0), seen.orders.get((target, source), 0)
    forth = seen.weight(source, target, "temporal_next") + ours
    back = seen.weight(target, source, "temporal_next") + theirs
    edges = seen.count(source, target, "temporal_next")
    add("temporal", (forth - back) / (forth + back + DOUBT), edges, ours)
    parts = _share(seen, pair, "part_of")
    within = cosine is not None and named[target].bound > cosine >= named[source].bound
    held = cosine if cosine is not None and within else 0.0
    add("hierarchical", max(parts, held), seen.count(target, source, "part_of"))
    return found


def _share(seen: _Evidence, pair: Pair, kind: str) -> float:
    """Return the smoothed share of edge weight that leads from target to source."""
    source, target = pair
    ours, theirs = seen.weight(target, source, kind), seen.weight(source, target, kind)
    return ours / (ours + theirs + DOUBT)


def _associated(
    pair: Pair, seen: _Evidence, cosines: Mapping[Pair, float], mean: float
) -> list[BasinRelation]:
    source, target = pair
    weight = seen.weight(source, target, *OTHERS) + seen.weight(target, source, *OTHERS)
    cosine = cosines.get(pair)
    alike = 0.0 if cosine is None or mean >= 1 else max(0.0, (cosine - mean) / (1 - mean))
    strength = max(weight / (weight + DOUBT), alike)
    edges = seen.count(source, target, *OTHERS) + seen.count(target, source, *OTHERS)
    relation = BasinRelation(source, target, "associated", strength, edges, 0, cosine)
    return [relation] if strength else []


ACTIVATION_HALF_LIFE_DAYS = 30.0
"""Half-life of a basin's activation, in days without access to its members."""


@dataclass(frozen=True, slots=True)
class BasinActivity:
    """A basin with its current `activation`, 0..1; see docs/basins.md."""

    id: UUID
    name: str
    keywords: list[str]
    members: int
    coherence: float
    activation: float


async def list_basin_activity(loom: Loom, caller: Caller) -> list[BasinActivity]:
    """Return the basins, most active first; a basin without countable members has 0."""
    async with loom.database.begin(caller, searching=True) as tx:
        there = await basins.basins(tx)
        current = await basin_lists.activity(tx, loom.clock(), ACTIVATION_HALF_LIFE_DAYS)
    found = []
    for each in there:
        active = current.get(each.id)
        members, activation = (active.members, active.activation) if active else (0, 0.0)
        found.append(
            BasinActivity(each.id, each.name, each.keywords, members, each.coherence, activation)
        )
    return sorted(found, key=lambda each: (-each.activation, each.name, str(each.id)))


async def list_relations(loom: Loom, caller: Caller) -> list[BasinRelation]:
    """Return the relations between the owner's basins, strongest first."""
    async with loom.database.begin(caller, searching=True) as tx:
        return await find_relations(tx)


async def relation_answers(tx: Transaction, basins: Sequence[UUID]) -> Relations:
    """Return the answer model of the relations between basins, strongest first."""
    if len(basins) < 2:  # noqa: PLR2004
        return Relations(relationships=[])
    return Relations(
        relationships=[
            Relation.model_validate(
                {
                    "from": str(each.source),
                    "to": str(each.target),
                    "kind": each.kind,
                    "strength": round(each.strength, DIGITS),
                    "links": each.edges,
                }
            )
            for each in await find_relations(tx, basins)
        ]
    )
