"""Walks over random small graphs find what a plain walk finds that leaves nothing out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.graph_memory.traversal import Bounds, Reached, Way, walk
from tests.nodes.graph_memory.test_traverse import traverse
from tests.support.memory.graph import Drawn, plant

NODES = 7
TYPES = ("supports", "caused_by", "part_of")
QUARTERS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
"""Weights whose products are exact."""

MEMBER = st.integers(1, NODES)
EDGES = st.lists(
    st.tuples(MEMBER, MEMBER, st.sampled_from(TYPES), QUARTERS),
    max_size=24,
    unique_by=lambda edge: edge[:3],
).map(lambda edges: [edge for edge in edges if edge[0] != edge[1]])
OWNERS = count()


@dataclass(frozen=True)
class Plain:
    """A graph, and the plainest walk over it: every path of every length is gone."""

    edges: list[Drawn]
    hidden: frozenset[int]
    confidences: list[float]
    types: list[str] | None = None
    directions: str = "forward"
    ends: dict[int, list[tuple[int, float]]] = field(default_factory=dict)

    def steps(self, node: int) -> Iterable[tuple[int, float]]:
        for source, target, kind, weight in self.edges:
            if self.types is not None and kind not in self.types:
                continue
            if self.directions in ("forward", "both") and source == node:
                yield target, weight
            if self.directions in ("backward", "both") and target == node:
                yield source, weight

    def best(self, start: int, depth: int) -> dict[int, tuple[float, int]]:
        """Return of each node its best path's worth and length."""
        found: dict[int, tuple[float, int]] = {start: (1.0, 0)}
        level = {start: 1.0}
        for length in range(1, depth + 1):
            further: dict[int, float] = {}
            for node, worth in level.items():
                for other, weight in self.steps(node):
                    if other not in self.hidden:
                        further[other] = max(further.get(other, -1), worth * weight)
            for node, worth in further.items():
                if node not in found or worth > found[node][0]:
                    found[node] = (worth, length)
            level = further
        del found[start]
        return found

    def shown(
        self, start: int, depth: int, most: int, confidence: float
    ) -> list[tuple[int, int, float]]:
        """Return (node, depth, worth), best first."""
        best = self.best(start, depth)
        sure = [node for node in best if self.confidences[node - 1] >= confidence]
        ordered = sorted(sure, key=lambda node: (-best[node][0], best[node][1], node))
        return [(node, best[node][1], best[node][0]) for node in ordered][:most]


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    edges=EDGES,
    hidden=st.frozensets(st.integers(2, NODES), max_size=2),
    confidences=st.lists(QUARTERS, min_size=NODES, max_size=NODES),
    types=st.none() | st.lists(st.sampled_from(TYPES), max_size=2, unique=True),
    direction=st.sampled_from(["forward", "backward", "both"]),
    depth=st.integers(1, 10),
    most=st.integers(1, NODES),
    confidence=QUARTERS,
)
async def test_what_is_shown_is_what_a_plain_walk_finds(
    engine: Engine,
    access: Access,
    edges: list[Drawn],
    hidden: frozenset[int],
    confidences: list[float],
    types: list[str] | None,
    direction: str,
    depth: int,
    most: int,
    confidence: float,
) -> None:
    owner = f"Ö{next(OWNERS)}"
    plant(access, (1, NODES), edges, owner=owner, statements=_made(owner, hidden, confidences))
    plain = Plain(edges, hidden, confidences, types, direction)
    outcome = await traverse(
        engine,
        1,
        owner=owner,
        direction=direction,
        max_depth=depth,
        max_results=most,
        min_confidence=confidence,
        **({} if types is None else {"edge_types": types}),
    )
    answer = outcome.answer
    shown = [(n["node_id"], n["depth"], n["path_weight"]) for n in answer["results"]]
    wanted = plain.shown(1, depth, most, confidence)
    assert shown == [(1, 0, 1.0), *wanted]
    assert answer["truncated"] == (len(plain.shown(1, depth, NODES, confidence)) > most)
    among = {node for node, _, _ in shown}
    between = [e for e in edges if {e[0], e[1]} <= among and (types is None or e[2] in types)]
    told = {(e["source_id"], e["target_id"], e["edge_type"], e["weight"]) for e in answer["edges"]}
    assert told == set(between)
    assert len(answer["edges"]) == len(between)


def _made(owner: str, hidden: Iterable[int], confidences: list[float]) -> list[str]:
    """Return the statements that hide some nodes and give all their confidences."""
    told = [
        f"UPDATE memories SET confidence = {confidence} WHERE owner = '{owner}' AND id = {number}"
        for number, confidence in enumerate(confidences, 1)
    ]
    for number in hidden:
        told.append(
            f"UPDATE memories SET deleted_at = now() WHERE owner = '{owner}' AND id = {number}"
        )
    return told


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edges=EDGES, most=st.integers(1, 4), extra=st.integers(2, 3))
async def test_reading_as_many_edges_as_are_wanted_leaves_out_nothing_better(
    access: Access, edges: list[Drawn], most: int, extra: int
) -> None:
    """One more edge than wanted, and one for the way back to the start, give the same worths."""
    owner = f"Ø{next(OWNERS)}"
    plant(access, (1, NODES), {edge[:2]: edge for edge in edges}.values(), owner=owner)
    narrow = Bounds(6, most, edges=most + extra, level=most + extra)
    database = Database(access)
    try:
        async with database.begin(Caller(owner), walking=True) as tx:
            whole = await walk(tx, 1, (Way(forward=True),), Bounds(6, most))
            done = await walk(tx, 1, (Way(forward=True),), narrow)
    finally:
        await database.close()
    assert _worths(done.reached) == _worths(whole.reached)


def _worths(reached: list[Reached]) -> list[float]:
    return [each.worth for each in reached]
