"""Finds memories: candidates from every list, none gating another, then one score.

The `recall` tool and every reasoning mode find by this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.memory.tools import SECTORS, Explanation, Selection
from reasonloom.nodes.memory.dates import date_terms_of_query
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.memory.injection.detection import injection_notes
from reasonloom.nodes.memory.retrieval.query_tags import tags_named, without_names
from reasonloom.nodes.memory.retrieval.ranking import RankedMemory, Ranking, RankingQuery, rank
from reasonloom.nodes.memory.retrieval.scoring import ScoreParts, recency
from reasonloom.stores.memory import reindex
from reasonloom.stores.memory.search import fulltext, retrieval
from reasonloom.stores.memory.search.retrieval import FoundMemory
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.memory.retrieval.scoring import RelevanceSignals
    from reasonloom.stores.database import Transaction


def scope_of(request: Selection) -> Scope:
    """Return what the request's filters leave to be found."""
    dates, metadata = request.date_range, request.metadata
    return Scope(
        sector=request.primary_sector,
        min_strength=request.min_strength,
        min_salience=request.min_salience,
        after=parse_moment(dates.start) if dates and dates.start else None,
        before=parse_moment(dates.end) if dates and dates.end else None,
        keywords=metadata.keywords if metadata else None,
        tags=metadata.tags if metadata else None,
        category=metadata.category if metadata else None,
    )


POOL = 250
"""Candidates that each list gives, whatever page is asked for: so pages fit together."""


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A memory found, the parts of its score, and the signals of its similarity if asked a text."""

    memory: FoundMemory
    parts: ScoreParts
    signals: RelevanceSignals | None = None

    @property
    def score(self) -> float:
        """The reference's composite, 0..1."""
        return self.parts.score


@dataclass(frozen=True, slots=True)
class RetrievedPage:
    """One page of what was found, best first; how many were found, and what must be said."""

    page: list[ScoredMemory]
    total: int
    notes: list[str] = field(default_factory=list)


async def retrieve(
    execution: Execution,
    query: str | None,
    *,
    scope: Scope,
    sectors: Sequence[str] = SECTORS,
    offset: int = 0,
    limit: int = 10,
    pool: int = POOL,
) -> RetrievedPage:
    """Return a page of the memories of `scope` that answer `query`, best first; all without one.

    The query is embedded before the one transaction that searches. `pool` is how many candidates
    each list gives to a query.
    """
    if query:
        page = slice(offset, offset + limit)
        return await _retrieve_by_query(execution, query, scope, sectors, page, pool)
    most = max(POOL, offset + limit)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        ids = await retrieval.most_salient(tx, scope=scope, pool=most)
        total, _ = await fulltext.size(tx, scope)
        memories = await retrieval.fetch(tx, ids) if ids else []
    scored = [ScoredMemory(memory, _score_parts(execution, memory)) for memory in memories]
    ordered = sorted(scored, key=lambda each: (-each.score, each.memory.id))
    return RetrievedPage(ordered[offset : offset + limit], total)


def _score_parts(execution: Execution, memory: FoundMemory) -> ScoreParts:
    loom = execution.loom
    recent = recency(memory.last_accessed, loom.clock(), loom.settings.recency_half_life_days)
    return ScoreParts(memory.salience, recent, memory.link)


async def _retrieve_by_query(
    execution: Execution,
    query: str,
    scope: Scope,
    sectors: Sequence[str],
    page: slice,
    pool: int,
) -> RetrievedPage:
    loom = execution.loom
    async with loom.database.begin(execution.caller) as tx:
        named = tags_named(query, await retrieval.tags_in(tx, query))
    vectors, notes = await embed_or_note(loom.embedder, [without_names(query, named)])
    near = Nearness(vectors[0], loom.embedder.model, sectors) if vectors else None
    guarded = loom.settings.suspicion
    dates = date_terms_of_query(query, loom.clock().date())
    question = RankingQuery(query, near, named, dates, loom.embedder.floor, guarded)
    async with loom.database.begin(execution.caller, searching=True) as tx:
        found = await rank(tx, execution, question, scope=scope, pool=pool)
        shown = await _fetch_page(tx, found.ranked[page])
        said = await retrieval_notes(tx, found, loom.embedder.model, pool)
    own = [each.memory for each in shown if each.memory.source_kind != "transcript"]
    warned = (
        injection_notes({f"mem-{each.id}": each.content for each in own}, query) if guarded else []
    )
    return RetrievedPage(shown, len(found.ranked), [*notes, *said, *warned])


async def retrieval_notes(tx: Transaction, found: Ranking, model: str, pool: int) -> list[str]:
    """Return what must be said of what a search left out."""
    others = await reindex.foreign_models(tx, model) if found.unlike else []
    return [*_foreign_model_notes(others), *_omission_notes(found, pool)]


async def _fetch_page(tx: Transaction, ranked: Sequence[RankedMemory]) -> list[ScoredMemory]:
    """Return the memories of one page, in its order."""
    if not ranked:
        return []
    memories: Mapping[int, FoundMemory] = {
        memory.id: memory for memory in await retrieval.fetch(tx, [each.id for each in ranked])
    }
    return [
        ScoredMemory(memories[each.id], each.parts, each.signals)
        for each in ranked
        if each.id in memories
    ]


def _foreign_model_notes(models: Sequence[str]) -> list[str]:
    if not models:
        return []
    return [
        f"some memories have vectors of {', '.join(models)} alone and are found by words only; "
        "`reasonloom db reindex` embeds them anew"
    ]


def _omission_notes(found: Ranking, pool: int) -> list[str]:
    said = {
        f"many memories match; the best {len(found.ranked)} were ranked": len(found.ranked) >= pool,
        "memories that share only frequent words with the question were left out": found.cut,
    }
    return [note for note, applies in said.items() if applies]


DIGITS = 6
"""Digits of a score that are told."""


def explain_score(scored: ScoredMemory) -> Explanation:
    """Return what a score is made of."""
    parts, signals = scored.parts, scored.signals
    asked: dict[str, Any] = {}
    if signals is not None:
        shares = {name: round(share, DIGITS) for name, share in signals.shares().items()}
        asked = {"similarity": round(parts.similarity or 0.0, DIGITS), "signals": shares}
    return Explanation(
        salience=parts.salience,
        recency=round(parts.recency, DIGITS),
        link_weight=round(parts.link, DIGITS),
        **asked,
    )
