"""Finds memories: candidates from every list, none gating another, then one score.

The `recall` tool and every reasoning mode find by this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.memory.dates import dates_asked
from reasonloom.nodes.memory.injection.suspicion_said import suspected
from reasonloom.nodes.memory.retrieval.nodes_scoring import Parts, recency
from reasonloom.nodes.memory.retrieval.query_tags import tags_named, without
from reasonloom.nodes.memory.retrieval.ranking import Gathered, Question, Ranked, gather
from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.stores.memory import reindex
from reasonloom.stores.memory.search import fulltext, retrieval
from reasonloom.stores.memory.search.retrieval import FoundMemory
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.memory.retrieval.scoring import Signals
    from reasonloom.stores.database import Transaction

POOL = 250
"""Candidates that each list gives, whatever page is asked for: so pages fit together."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory found, the parts of its score, and the signals of its similarity if asked a text."""

    memory: FoundMemory
    parts: Parts
    signals: Signals | None = None

    @property
    def score(self) -> float:
        """The reference's composite, 0..1."""
        return self.parts.score


@dataclass(frozen=True, slots=True)
class Finding:
    """One page of what was found, best first; how many were found, and what must be said."""

    page: list[Scored]
    total: int
    notes: list[str] = field(default_factory=list)


async def find(
    execution: Execution,
    query: str | None,
    *,
    scope: Scope,
    sectors: Sequence[str] = SECTORS,
    offset: int = 0,
    limit: int = 10,
    pool: int = POOL,
) -> Finding:
    """Return a page of the memories of `scope` that answer `query`, best first; all without one.

    The query is embedded before the one transaction that searches. `pool` is how many candidates
    each list gives to a query.
    """
    if query:
        page = slice(offset, offset + limit)
        return await _answering(execution, query, scope, sectors, page, pool)
    most = max(POOL, offset + limit)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        ids = await retrieval.within(tx, scope=scope, pool=most)
        total, _ = await fulltext.size(tx, scope)
        memories = await retrieval.fetch(tx, ids) if ids else []
    scored = [Scored(memory, _standing(execution, memory)) for memory in memories]
    ordered = sorted(scored, key=lambda each: (-each.score, each.memory.id))
    return Finding(ordered[offset : offset + limit], total)


def _standing(execution: Execution, memory: FoundMemory) -> Parts:
    loom = execution.loom
    recent = recency(memory.last_accessed, loom.clock(), loom.settings.recency_half_life_days)
    return Parts(memory.salience, recent, memory.link)


async def _answering(
    execution: Execution,
    query: str,
    scope: Scope,
    sectors: Sequence[str],
    page: slice,
    pool: int,
) -> Finding:
    loom = execution.loom
    async with loom.database.begin(execution.caller) as tx:
        named = tags_named(query, await retrieval.tags_in(tx, query))
    vectors, notes = await embed_or_say(loom.embedder, [without(query, named)])
    near = Nearness(vectors[0], loom.embedder.model, sectors) if vectors else None
    guarded = loom.settings.suspicion
    dates = dates_asked(query, loom.clock().date())
    question = Question(query, near, named, dates, loom.embedder.floor, guarded)
    async with loom.database.begin(execution.caller, searching=True) as tx:
        found = await gather(tx, execution, question, scope=scope, pool=pool)
        shown = await _fetched(tx, found.ranked[page])
        said = await remarks(tx, found, loom.embedder.model, pool)
    own = [each.memory for each in shown if each.memory.source_kind != "transcript"]
    warned = suspected({f"mem-{each.id}": each.content for each in own}, query) if guarded else []
    return Finding(shown, len(found.ranked), [*notes, *said, *warned])


async def remarks(tx: Transaction, found: Gathered, model: str, pool: int) -> list[str]:
    """Return what must be said of what a search left out."""
    others = await reindex.foreign_models(tx, model) if found.unlike else []
    return [*_of_other_models(others), *_left_out(found, pool)]


async def _fetched(tx: Transaction, ranked: Sequence[Ranked]) -> list[Scored]:
    """Return the memories of one page, in its order."""
    if not ranked:
        return []
    memories: Mapping[int, FoundMemory] = {
        memory.id: memory for memory in await retrieval.fetch(tx, [each.id for each in ranked])
    }
    return [
        Scored(memories[each.id], each.parts, each.signals)
        for each in ranked
        if each.id in memories
    ]


def _of_other_models(models: Sequence[str]) -> list[str]:
    if not models:
        return []
    return [
        f"some memories have vectors of {', '.join(models)} alone and are found by words only; "
        "`reasonloom db reindex` embeds them anew"
    ]


def _left_out(found: Gathered, pool: int) -> list[str]:
    said = {
        f"many memories match; the best {len(found.ranked)} were ranked": len(found.ranked) >= pool,
        "memories that share only frequent words with the question were left out": found.cut,
    }
    return [note for note, applies in said.items() if applies]
