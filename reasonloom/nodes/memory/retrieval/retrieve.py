"""Retrieves memories: candidates from every list, none gating another, then one score.

The `recall` tool and every reasoning mode use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.memory.tools import SECTORS, ExplainedRecall, ExplainedSearch, Explanation
from reasonloom.nodes.memory.calendar.periods import question_time
from reasonloom.nodes.memory.calendar.terms import date_terms_of_query
from reasonloom.nodes.memory.embedding import OTHER_VECTORS, embed_or_note
from reasonloom.nodes.memory.injection.detection import injection_notes
from reasonloom.nodes.memory.retrieval.answerable import QUESTION
from reasonloom.nodes.memory.retrieval.candidates import RankedMemory, Ranking, RankingQuery, rank
from reasonloom.nodes.memory.retrieval.query_tags import tags_named, without_names
from reasonloom.nodes.memory.retrieval.reorder import BEST, reorder, rivals
from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory, ScoreParts, recency
from reasonloom.nodes.memory.validity import held_span
from reasonloom.stores.memory import reindex
from reasonloom.stores.memory.search import fulltext, retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.pipelines import together

if TYPE_CHECKING:
    from reasonloom.nodes.execution import Execution
    from reasonloom.stores.database import Transaction


def scope_of(
    request: ExplainedRecall | ExplainedSearch, *, now: datetime, superseded: bool = False
) -> Scope:
    """Return the search scope of a request's filters.

    Raises:
        InvalidArgument: the time that it names lies in the future.
    """
    held = held_span(request, now)
    dates, metadata = request.date_range, request.metadata
    other = metadata.other_keys() if metadata else None
    return Scope(
        sector=request.primary_sector,
        own_sectors=request.sectors,
        min_strength=request.min_strength,
        min_salience=request.min_salience,
        held_from=held.start if held else None,
        held_to=held.end if held else None,
        superseded=superseded,
        after=parse_moment(dates.start) if dates and dates.start else None,
        before=parse_moment(dates.end) if dates and dates.end else None,
        keywords=metadata.keywords if metadata else None,
        tags=metadata.tags if metadata else None,
        category=metadata.category if metadata else None,
        other_metadata=json.dumps(other) if other else None,
    )


POOL = 250
"""Candidates from each list, whatever the page, so that pages are consistent."""


DIGITS = 6
"""Decimal places of a score in answers."""


@dataclass(frozen=True, slots=True)
class RetrievedPage:
    """One page of memories, best first, with the total and notes on what was left out.

    `readings` are the reader's logarithms of odds that the best answer, by the memories' ids.
    """

    page: list[ScoredMemory]
    total: int
    notes: list[str] = field(default_factory=list)
    readings: Mapping[int, float] = field(default_factory=dict)


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
    """Return a page of the memories of `scope` that match `query`, or of all; best first.

    The query is embedded before the one transaction that searches. `pool` is the number of
    candidates that each list contributes to a query.
    """
    if query:
        page = slice(offset, offset + limit)
        return await _retrieve_by_query(execution, query, scope, sectors, page, pool)
    most = max(POOL, offset + limit)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        ids, (total, _) = await together(
            retrieval.most_salient(tx, scope=scope, pool=most), fulltext.size(tx, scope)
        )
        tx.end_with_next()
        memories = await retrieval.fetch(tx, ids)
    now = scope.held_to or execution.loom.clock()
    half_life = execution.loom.settings.recency_half_life_days
    scored = [
        ScoredMemory(
            each, ScoreParts(each.salience, recency(each.valid_from, now, half_life), each.link)
        )
        for each in memories
    ]
    ordered = sorted(scored, key=lambda each: (-each.score, each.memory.id))
    return RetrievedPage(ordered[offset : offset + limit], total)


async def _retrieve_by_query(
    execution: Execution,
    query: str,
    scope: Scope,
    sectors: Sequence[str],
    page: slice,
    pool: int,
) -> RetrievedPage:
    loom = execution.loom
    model = loom.embedder.model
    async with loom.database.begin(execution.caller, searching=True, once=True) as tx:
        tags, terms = await together(
            retrieval.tags_in(tx, query),
            retrieval.weigh_terms(tx, query, model, transcripts=scope.of_transcripts),
        )
    named = tags_named(query, tags)
    common = {name for name in named if tags[name]}
    vectors, notes = await embed_or_note(loom.embedder, [without_names(query, common)])
    near = Nearness(vectors[0], model, sectors) if vectors else None
    guarded = loom.settings.suspicion
    today = (scope.held_to or loom.clock()).date()
    time = question_time(query, today)
    dates = date_terms_of_query(query, today)
    question = RankingQuery(query, terms, near, named, dates, loom.embedder.floor, guarded, time)
    async with loom.database.begin(execution.caller, searching=True) as tx:
        found = await rank(tx, execution, question, scope=scope, pool=pool)
        # Later pages do not hold the best, whose order alone changes.
        start = 0 if page.start < BEST else page.start
        tx.end_with_next()
        memories, left_out = await together(
            _fetch_page(tx, found.ranked[start : max(page.stop, BEST)]),
            retrieval_notes(tx, found, model, pool),
        )
    notes += left_out
    readings: dict[int, float] = {}
    if not start and QUESTION.search(query) is not None:
        now = scope.held_to or loom.clock()
        compared = near and loom.settings.supersede != "off"
        pairs = rivals(memories, now) if compared else []
        cosines: dict[tuple[int, int], float] = {}
        if pairs:
            ids = {each for pair in pairs for each in pair}
            async with loom.database.begin(execution.caller, searching=True, once=True) as tx:
                cosines = await similarity.cosines(tx, ids, model)
        alike = {pair: cosines[pair] for pair in pairs if pair in cosines}
        memories, readings = await reorder(query, memories, time, alike)
    memories = memories[page.start - start : page.stop - start]
    own = [each.memory for each in memories if each.memory.source_kind != "transcript"]
    if guarded:
        notes += injection_notes({f"mem-{each.id}": each.content for each in own}, query)
    return RetrievedPage(memories, len(found.ranked), notes, readings)


async def retrieval_notes(tx: Transaction, found: Ranking, model: str, pool: int) -> list[str]:
    """Return the notes on what a search left out."""
    notes = []
    if found.unlike and (others := await reindex.foreign_models(tx, model)):
        notes.append(OTHER_VECTORS.format(models=", ".join(others)))
    if len(found.ranked) >= pool:
        notes.append(f"many memories match; the best {len(found.ranked)} were ranked")
    if found.cut:
        notes.append("memories that share only frequent words with the question were left out")
    return notes


async def _fetch_page(tx: Transaction, ranked: Sequence[RankedMemory]) -> list[ScoredMemory]:
    """Return the memories of one page, in its order."""
    found = await retrieval.fetch(tx, [each.id for each in ranked]) if ranked else []
    memories = {memory.id: memory for memory in found}
    return [
        ScoredMemory(memories[each.id], each.parts, each.signals)
        for each in ranked
        if each.id in memories
    ]


def explain_score(scored: ScoredMemory) -> Explanation:
    """Return what a score is made of."""
    parts, signals = scored.parts, scored.signals
    by_query: dict[str, Any] = {}
    if signals is not None:
        shares = {name: round(share, DIGITS) for name, share in signals.shares().items()}
        by_query = {"similarity": round(parts.similarity or 0.0, DIGITS), "signals": shares}
    return Explanation(
        salience=parts.salience,
        recency=round(parts.recency, DIGITS),
        link_weight=round(parts.link, DIGITS),
        **by_query,
    )
