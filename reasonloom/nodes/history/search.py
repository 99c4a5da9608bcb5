"""Searches past conversations: chunks by every signal, then the passages in them that answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import TYPE_CHECKING, Any

from reasonloom.contracts.history import HistoryFound, HistorySearch
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.history import lookup
from reasonloom.nodes.history.excerpts import (
    Excerpt,
    RatedPassage,
    Source,
    rate_passages,
    select_excerpts,
    split_passages,
)
from reasonloom.nodes.history.rendering import Piece, remaining_budget, render
from reasonloom.nodes.memory.dates import date_terms_of_query
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.memory.retrieval.ranking import RankedMemory, RankingQuery, rank
from reasonloom.nodes.memory.retrieval.retrieve import retrieval_notes
from reasonloom.nodes.mental_models.basins.expansion import Hit, expand
from reasonloom.stores.history import chunk_links
from reasonloom.stores.history.chunk_links import WalkChunk
from reasonloom.stores.memory.search import query_terms
from reasonloom.stores.memory.search.query_terms import QueryTerms
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState
    from reasonloom.stores.database import Transaction


READ = 20
"""Chunks that are found and read for passages."""

POOL = 80
"""Candidates that each list of the search gives: four times what is read."""

LEAST_COSINE = 0.3
"""What shares no word with the query must be so near to it: long texts are near to anything."""

MOST_DUPLICATES = 20
"""Tokens kept for the note on what says the same."""

LONGEST = 4_000
"""Characters of a passage that are compared."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What is shown, the most relevant first, and what must be said of the search."""

    pieces: list[Piece] = field(default_factory=list)
    partly: frozenset[int] = frozenset()
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FoundChunks:
    """The chunks that a search found.

    Attributes:
        terms: the question's words.
        sources: the chunks as they are judged.
        held: for each passage of all of them the places of the words that stand in it.
        cosines: for each passage how near it is to the question.
        chunks: the same with where they stand, by id.
        notes: what must be said of the search.
    """

    terms: QueryTerms
    sources: list[Source]
    held: list[frozenset[int]]
    cosines: Sequence[float]
    chunks: Mapping[int, WalkChunk]
    notes: list[str]


async def search_passages(
    execution: Execution, query: str, project: str | None, budget: int
) -> SearchResult:
    """Return what answers `query`, as much as fits into `budget` tokens."""
    loom = execution.loom
    vectors, notes = await embed_or_note(loom.embedder, [query])
    near = Nearness(vectors[0], loom.embedder.model, SECTORS) if vectors else None
    dates = date_terms_of_query(query, loom.clock().date())
    question = RankingQuery(query, near, frozenset(), dates, loom.embedder.floor)
    async with loom.database.begin(execution.caller, searching=True) as tx:
        read = await _find_chunks(
            tx, execution, question, Scope(kinds=("transcript",), project=project)
        )
        unknown = [] if read.sources else await lookup.project_notes(tx, project)
    all_notes = [*notes, *read.notes, *unknown]
    excerpts, twins = select_excerpts(
        _rated(question, read), remaining_budget(budget, all_notes) - MOST_DUPLICATES
    )
    return _placed(
        excerpts, read.chunks, [*all_notes, *([_duplicates_note(twins)] if twins else [])]
    )


async def _find_chunks(
    tx: Transaction, execution: Execution, question: RankingQuery, scope: Scope
) -> FoundChunks:
    """Return the chunks that are most relevant, and others of their clusters."""
    model = execution.loom.embedder.model
    found = await rank(tx, execution, question, scope=scope, pool=POOL)
    best = found.ranked[:READ]
    hits = [Hit(each.id, each.parts.similarity or 0.0) for each in best]
    led = await expand(tx, hits, model=model, scope=scope) if hits else []
    chunks = (
        await chunk_links.chunks(tx, [*(each.id for each in best), *(each.id for each in led)])
        if best
        else {}
    )
    sources = [_source(chunks[each.id], each) for each in best if each.id in chunks]
    sources += [_led(chunks[each.id], each.score) for each in led if each.id in chunks]
    texts = [text for source in sources for text in source.texts()]
    # The database looks for words while this process compares vectors.
    held, cosines = await asyncio.gather(
        query_terms.words_in_passages(tx, found.query_terms, texts),
        _cosines(execution, question, texts),
    )
    all_notes = await retrieval_notes(tx, found, model, POOL)
    return FoundChunks(found.query_terms, sources, held, cosines, chunks, all_notes)


def _source(chunk: WalkChunk, ranked: RankedMemory) -> Source:
    signals = ranked.signals
    parts = split_passages(chunk.content)
    return Source(chunk.id, chunk.content, parts, own=signals.own(), date=signals.date)


def _led(chunk: WalkChunk, score: float) -> Source:
    return Source(chunk.id, chunk.content, split_passages(chunk.content), own=score, led=True)


async def _cosines(
    execution: Execution, question: RankingQuery, texts: Sequence[str]
) -> Sequence[float]:
    """Return how near each text is to the question; zeros without vectors."""
    near = question.near
    if near is None:
        return [0.0] * len(texts)
    vectors, _ = await embed_or_note(execution.loom.embedder, [text[:LONGEST] for text in texts])
    return [sum(map(mul, near.vector, vector)) for vector in vectors] or [0.0] * len(texts)


def _rated(question: RankingQuery, read: FoundChunks) -> list[RatedPassage]:
    """Return the passages of what was found; those of chunks that only seem near are left out."""
    weights = [word.weight for word in read.terms.words]
    found: list[RatedPassage] = []
    start = 0
    for source in read.sources:
        end = start + len(source.passages)
        if (
            source.led
            or source.date
            or any(read.held[start:end])
            or max(read.cosines[start:end]) >= LEAST_COSINE
        ):
            held = read.held[start:end]
            found += rate_passages(source, question.text, weights, held, read.cosines[start:end])
        start = end
    return found


def _placed(
    excerpts: Sequence[Excerpt], chunks: Mapping[int, WalkChunk], notes: list[str]
) -> SearchResult:
    """Return the excerpts with where they stand."""
    pieces = [
        Piece(
            id=each.source.id,
            project=chunk.project,
            session=chunk.session,
            agent=chunk.agent,
            time=chunk.started_at,
            tokens=chunk.tokens,
            content=each.text(),
            score=each.relevance,
        )
        for each in excerpts
        for chunk in [chunks[each.source.id]]
    ]
    partly = frozenset(each.source.id for each in excerpts if not each.whole)
    return SearchResult(pieces, partly, notes)


def _duplicates_note(number: int) -> str:
    many = "passage says" if number == 1 else "passages say"
    return f"{number} {many} nearly the same as others shown and were left out"


NOTHING = "No relevant memory found."
HEAD_TOKENS = 14
"""About the tokens of the first line and the space below it."""


async def history_search(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return passages of past conversations that answer the query, within the budget."""
    execution = runtime.context
    request = execution.request(HistorySearch)
    budget = execution.loom.settings.max_response_tokens
    found = await search_passages(execution, request.query, request.project, budget - HEAD_TOKENS)
    if not found.pieces:
        answer = HistoryFound(text=NOTHING, chunks=[], tokens=0, chain=False, diagnostics=None)
        return {"answer": answer.wire(), "notes": found.notes}
    telling = render(found.pieces, remaining_budget(budget, found.notes), head=head_line)
    chunks = [
        chunk.model_copy(update={"cut": True}) if int(chunk.id[4:]) in found.partly else chunk
        for chunk in telling.chunks
    ]
    answer = HistoryFound(
        text=telling.text, chunks=chunks, tokens=telling.tokens, chain=False, diagnostics=None
    )
    return {"answer": answer.wire(), "notes": found.notes}


def head_line(chunks: int, size: int) -> str:
    """Return the first line, as in the reference."""
    return f"Found {chunks} relevant memory chunks ({size} tokens):"
