"""Finds the memories that a claim is held against: the alike, by clause too, and the corrected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.graph_memory.alikeness import alikeness
from reasonloom.nodes.graph_memory.grounding.reading.read import read
from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.stores.graph_memory import evidence, memory_nodes
from reasonloom.stores.memory.search import retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow

POOL = 40
"""The nearest memories that a claim is held against."""

OF_A_CLAUSE, MOST_CLAUSES = 10, 8
"""What is found by the words of one clause alone; the clauses that are looked up so."""

MOST_CORRECTED = 30


@dataclass(frozen=True, slots=True)
class Candidates:
    """Memories beside a claim.

    Attributes:
        current: those that hold, the most alike first, and how alike they are, 0..1.
        old: those that were corrected, with the number of what holds now.
    """

    current: list[NodeRow]
    alike: Mapping[int, float]
    old: list[tuple[NodeRow, int]]
    notes: list[str] = field(default_factory=list)


async def candidates(execution: Execution, claim: str) -> Candidates:
    """Return what is stored near a claim; the claim is embedded before the one transaction."""
    embedder = execution.loom.embedder
    vectors, notes = await embed_or_say(embedder, [claim])
    near = Nearness(vectors[0], embedder.model, SECTORS) if vectors else None
    floor = embedder.floor if vectors else None
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        alike = await _alike(tx, claim, near, floor, POOL)
        for clause in _clauses(claim):
            for key, score in (await _alike(tx, clause, None, None, OF_A_CLAUSE)).items():
                alike.setdefault(key, score / 2)
        holds = await evidence.corrected(tx, claim, most=MOST_CORRECTED)
        order = sorted(alike, key=lambda key: (-alike[key], -key))
        wanted = dict.fromkeys([*order, *holds.values()])
        told = await memory_nodes.hearsay(tx, [*wanted, *holds])
        current = await memory_nodes.fetch(tx, (key for key in wanted if key not in told))
        old = await memory_nodes.fetch(tx, holds)
    return Candidates(
        [row for row in current if row.superseded_by is None],
        alike,
        [(row, holds[row.id]) for row in old if row.id not in told],
        notes,
    )


def _clauses(claim: str) -> list[str]:
    """Return the words of each clause of a claim that has several."""
    clauses = read(claim).clauses
    if len(clauses) == 1:
        return []
    return [" ".join(term.text for term in each.terms) for each in clauses[:MOST_CLAUSES]]


async def _alike(
    tx: Transaction, text: str, near: Nearness | None, floor: float | None, pool: int
) -> dict[int, float]:
    asked = await retrieval.weigh(tx, text, near)
    found = await similarity.similar(tx, asked, near, scope=Scope(), pool=pool)
    scores = {each.id: alikeness(each.cosine, each.coverage, floor) for each in found}
    return {key: score for key, score in scores.items() if score > 0}
