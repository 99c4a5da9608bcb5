"""Finds memories: candidates from every list, none gating another, then one score.

The `recall` tool and every reasoning mode find by this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.contracts.memory import SECTORS
from reasonloom.nodes.naming import tags_named, without
from reasonloom.nodes.scoring import composite, recency, relevance
from reasonloom.nodes.vectors import embed_or_say
from reasonloom.stores import search
from reasonloom.stores.search import FoundMemory, Match, Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution

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
    pool = max(SMALLEST_POOL, wanted)
    if query:
        return await _answering(execution, query, scope, sectors, pool)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        ids = await search.within(tx, scope=scope, pool=pool)
        memories = await search.fetch(tx, ids) if ids else []
    scored = _ranked(execution, [(memory, None) for memory in memories])
    return Finding(scored, _too_many(ids, pool))


async def _answering(
    execution: Execution, query: str, scope: Scope, sectors: Sequence[str], pool: int
) -> Finding:
    loom = execution.loom
    async with loom.database.begin(execution.caller) as tx:
        named = tags_named(query, await search.tags_in(tx, query))
    vectors, notes = await embed_or_say(loom.embedder, [without(query, named)])
    near = Nearness(vectors[0], loom.embedder.model, sectors) if vectors else None
    async with loom.database.begin(execution.caller, searching=True) as tx:
        found = await search.candidates(tx, query, near, scope=scope, pool=pool)
        matches = _worth(found, loom.embedder.floor if near else 0.0)
        memories = await search.fetch(tx, list(matches)) if matches else []
    similar = [
        (memory, relevance(matches[memory.id], tagged=not named.isdisjoint(memory.tags)))
        for memory in memories
    ]
    return Finding(_ranked(execution, similar), [*notes, *_too_many(matches, pool)])


def _worth(found: Mapping[int, Match], floor: float) -> dict[int, Match]:
    """Return the matches that hold a word, or whose cosine is above the embedder's floor."""
    return {
        key: match
        for key, match in found.items()
        if match.context > 0 or (match.cosine or 0.0) > floor
    }


def _too_many(found: Sized, pool: int) -> list[str]:
    if len(found) < pool:
        return []
    return [f"more than {pool} memories match; {len(found)} were ranked"]


def _ranked(
    execution: Execution, found: Iterable[tuple[FoundMemory, float | None]]
) -> list[Scored]:
    loom = execution.loom
    now, half_life = loom.clock(), loom.settings.recency_half_life_days
    scored = [
        Scored(
            memory,
            composite(memory, similarity, recency(memory.last_accessed, now, half_life)),
            similarity,
        )
        for memory, similarity in found
    ]
    return sorted(scored, key=lambda each: (-each.score, each.memory.id))
