"""Finds memories: candidates from every list, none gating another, then one score.

The `recall` tool and every reasoning mode find by this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.contracts.memory import SECTORS
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
    vectors, notes = await embed_or_say(execution.loom.embedder, [query]) if query else ([], [])
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        if query:
            near = Nearness(vectors[0], execution.loom.embedder.model, sectors) if vectors else None
            matches = await search.candidates(tx, query, near, scope=scope, pool=pool)
            similar = _similar(execution, matches)
        else:
            similar = dict.fromkeys(await search.within(tx, scope=scope, pool=pool))
        memories = await search.fetch(tx, list(similar)) if similar else []
    scored = _ranked(execution, [(memory, similar[memory.id]) for memory in memories])
    return Finding(scored, [*notes, *_too_many(similar, pool)])


def _similar(execution: Execution, matches: Mapping[int, Match]) -> dict[int, float | None]:
    """Return the relevance of each match that has a word, or a cosine above the floor."""
    alike = any(match.cosine is not None for match in matches.values())
    floor = execution.loom.embedder.floor if alike else 0.0
    return {
        key: relevance(match.cosine, match.coverage, floor)
        for key, match in matches.items()
        if match.coverage > 0 or (match.cosine or 0) > floor
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
