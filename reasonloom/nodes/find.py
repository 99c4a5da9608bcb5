"""Finds memories: candidates from every list, none gating another, then one score.

The `recall` tool and every reasoning mode find by this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.contracts.memory import SECTORS
from reasonloom.nodes.scoring import Match, composite, recency, relevance
from reasonloom.nodes.vectors import embed_or_say
from reasonloom.stores import search
from reasonloom.stores.search import FoundMemory, Scope

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction

SMALLEST_POOL = 200
"""Candidates that each list gives at least, so that filters and pages have enough."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory found, with its score and the relevance within it (0..1, None without a text)."""

    memory: FoundMemory
    score: float
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Finding:
    """All that was found, best first, and what must be said beside it."""

    scored: list[Scored]
    notes: list[str]


async def find(
    execution: Execution,
    query: str | None,
    *,
    scope: Scope,
    sectors: Sequence[str] = SECTORS,
    wanted: int = 10,
) -> Finding:
    """Return the memories of `scope` that answer `query`, best first; all of it without one.

    The query is embedded before the one transaction that searches.
    """
    loom = execution.loom
    pool = max(SMALLEST_POOL, wanted)
    vectors, notes = await embed_or_say(loom.embedder, [query]) if query else ([], [])
    async with loom.database.begin(execution.caller) as tx:
        if query is None:
            matches = dict.fromkeys(await search.within(tx, scope=scope, pool=pool), None)
            relevant: dict[int, float | None] = dict(matches)
        else:
            vector = vectors[0] if vectors else None
            relevant = dict(await _relevant(tx, execution, query, vector, scope, sectors, pool))
        found = await search.fetch(tx, list(relevant))
    if len(relevant) >= pool:
        notes = [*notes, f"more than {pool} memories match; the best {pool} were ranked"]
    return Finding(_ranked(execution, found.values(), relevant), notes)


async def _relevant(
    tx: Transaction,
    execution: Execution,
    query: str,
    vector: list[float] | None,
    scope: Scope,
    sectors: Sequence[str],
    pool: int,
) -> dict[int, float]:
    """Return the relevance of each memory that is alike beyond the floor or shares a word."""
    embedder = execution.loom.embedder
    alike: dict[int, float] = {}
    if vector is not None:
        alike = await search.alike(
            tx, vector, model=embedder.model, sectors=sectors, scope=scope, pool=pool
        )
    worded = await search.worded(tx, query, scope=scope, pool=pool)
    floor = embedder.floor if alike else 0.0
    return {
        key: relevance(Match(alike.get(key), worded.get(key, 0.0)), floor)
        for key in alike.keys() | worded.keys()
        if key in worded or alike[key] > floor
    }


def _ranked(
    execution: Execution, found: Iterable[FoundMemory], relevant: dict[int, float | None]
) -> list[Scored]:
    loom = execution.loom
    now, half_life = loom.clock(), loom.settings.recency_half_life_days
    scored = [
        Scored(
            memory,
            composite(memory, relevant[memory.id], recency(memory.last_accessed, now, half_life)),
            relevant[memory.id],
        )
        for memory in found
    ]
    return sorted(scored, key=lambda each: (-each.score, each.memory.id))
