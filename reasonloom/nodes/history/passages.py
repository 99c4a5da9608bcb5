"""Reads the chunks that a search found, scores their passages, and selects those to show."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul

from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.execution import Execution, searching
from reasonloom.nodes.history.excerpts import (
    Excerpt,
    RatedPassage,
    Source,
    rate_passages,
    select_excerpts,
    split_passages,
)
from reasonloom.nodes.history.rendering import Piece, remaining_budget
from reasonloom.nodes.memory.calendar.terms import date_terms_of_query
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.memory.retrieval.candidates import Ranking, RankingQuery
from reasonloom.nodes.memory.retrieval.retrieve import retrieval_notes
from reasonloom.nodes.mental_models.basins.expansion import Hit, expand
from reasonloom.stores.database import Transaction
from reasonloom.stores.history import chunk_links
from reasonloom.stores.history.chunk_links import WalkChunk
from reasonloom.stores.memory.search import query_terms
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.pipelines import together

READ = 20
"""Top search results whose passages are read."""

POOL = 80
"""Candidates per search list: four times READ."""

LEAST_COSINE = 0.3
"""Minimum cosine of a chunk that shares no word with the query: long texts are near to anything."""

MOST_DUPLICATES = 20
"""Tokens reserved for the note on duplicates."""

LONGEST = 4_000
"""Characters of a passage that are embedded."""


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """A query over past conversations, its scope, and notes on the search."""

    query: RankingQuery
    scope: Scope
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Excerpts:
    """The pieces to show, most relevant first, and notes on them."""

    pieces: list[Piece] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


async def past_question(execution: Execution, text: str, scope: Scope) -> PastQuestion:
    """Prepare a query over past conversations; a note says if there is no vector."""
    loom = execution.loom
    vectors, notes = await embed_or_note(loom.embedder, [text])
    near = Nearness(vectors[0], loom.embedder.model, SECTORS) if vectors else None
    async with searching(execution, once=True) as tx:
        terms = await query_terms.weigh_terms(tx, text, loom.embedder.model, transcripts=True)
    dates = date_terms_of_query(text, loom.clock().date())
    query = RankingQuery(text, terms, near, frozenset(), dates, loom.embedder.floor)
    return PastQuestion(query, scope, list(notes))


@dataclass(frozen=True, slots=True)
class FoundChunks:
    """The chunks that a search found, and others requested by id.

    Attributes:
        query: the query.
        sources: the chunks with their passages.
        unfound: ids of requested chunks that the search did not find.
        held: for each passage of all sources, the indices of the query's words that occur in it.
        cosines: cosine similarity of each of those passages to the query.
        chunks: the chunks with their metadata, by id.
        notes: notes on the search.
    """

    query: RankingQuery
    sources: list[Source]
    unfound: frozenset[int]
    held: list[frozenset[int]]
    cosines: Sequence[float]
    chunks: Mapping[int, WalkChunk]
    notes: list[str]

    def answering(self, budget: int, notes: Sequence[str]) -> Excerpts:
        """Return the best passages of the chunks found, within `budget` tokens with the notes."""
        all_notes = [*notes, *self.notes]
        room = remaining_budget(budget, all_notes) - MOST_DUPLICATES
        excerpts, twins = select_excerpts(self._rated(self.chunks.keys() - self.unfound), room)
        all_notes += [_duplicates_note(twins)] if twins else []
        return Excerpts([self._piece(each) for each in excerpts], all_notes)

    def pieces_of(self, ids: Sequence[int], room: int) -> list[Piece]:
        """Return the best passages of the chunks `ids` within `room` tokens, some of each chunk."""
        excerpts, _ = select_excerpts(self._rated(ids), room, every=True)
        return [self._piece(each) for each in excerpts]

    def best_is_in(self, ids: Collection[int]) -> bool:
        """Return whether no other chunk has a more relevant passage than those of `ids`."""
        best = dict.fromkeys((True, False), 0.0)
        for each in self._rated(self.chunks.keys()):
            inside = each.source.id in ids
            best[inside] = max(best[inside], each.relevance)
        return best[True] >= best[False]

    def _rated(self, ids: Collection[int]) -> list[RatedPassage]:
        """Return the passages of chunks with their relevance, without chunks of weak similarity."""
        weights = [word.weight for word in self.query.terms.words]
        found: list[RatedPassage] = []
        start = 0
        for source in self.sources:
            held = self.held[start : start + len(source.passages)]
            cosines = self.cosines[start : start + len(source.passages)]
            start += len(source.passages)
            near = source.led or source.date or any(held) or max(cosines) >= LEAST_COSINE
            if source.id in ids and near:
                found += rate_passages(source, self.query.text, weights, held, cosines)
        return found

    def _piece(self, excerpt: Excerpt) -> Piece:
        """Return an excerpt with its chunk's metadata."""
        return Piece.of(
            self.chunks[excerpt.source.id],
            content=excerpt.text(),
            score=excerpt.relevance,
            partial=not excerpt.whole,
        )


async def read_chunks(
    tx: Transaction,
    execution: Execution,
    question: PastQuestion,
    ranking: Ranking,
    unfound: Sequence[int] = (),
) -> FoundChunks:
    """Read the top results of a search, others of their clusters, and the chunks `unfound`."""
    model = execution.loom.embedder.model
    best = ranking.ranked[:READ]
    hits = [Hit(each.id, each.parts.similarity or 0.0) for each in best]
    found = [each.id for each in best]
    led, chunks, notes = await together(
        expand(tx, hits, model=model, scope=question.scope),
        chunk_links.chunks(tx, [*found, *unfound] if found else []),
        retrieval_notes(tx, ranking, model, POOL),
    )
    chunks |= await chunk_links.chunks(tx, [each.id for each in led if each.id not in chunks])
    more = [key for key in unfound if key not in {*found, *(each.id for each in led)}]
    sources = [
        _source(chunks[each.id], each.signals.own(), date=each.signals.date)
        for each in best
        if each.id in chunks
    ]
    others = {**{each.id: each.score for each in led}, **dict.fromkeys(more, 0.0)}
    sources += [_source(chunks[key], own, led=True) for key, own in others.items() if key in chunks]
    texts = [text for source in sources for text in source.texts()]
    tx.end_with_next()
    # The database matches words while this process compares vectors.
    held, cosines = await together(
        query_terms.words_in_passages(tx, question.query.terms, texts),
        _cosines(execution, question.query, texts),
    )
    return FoundChunks(
        query=question.query,
        sources=sources,
        unfound=frozenset(more),
        held=held,
        cosines=cosines,
        chunks=chunks,
        notes=notes,
    )


def _source(chunk: WalkChunk, own: float, *, date: float = 0.0, led: bool = False) -> Source:
    return Source(chunk.id, chunk.content, split_passages(chunk.content), own, date, led)


async def _cosines(
    execution: Execution, question: RankingQuery, texts: Sequence[str]
) -> Sequence[float]:
    """Return the cosine similarity of each text to the query; zeros without vectors."""
    near = question.near
    if near is None:
        return [0.0] * len(texts)
    vectors, _ = await embed_or_note(execution.loom.embedder, [text[:LONGEST] for text in texts])
    return [sum(map(mul, near.vector, vector)) for vector in vectors] or [0.0] * len(texts)


def _duplicates_note(number: int) -> str:
    many = "passage says" if number == 1 else "passages say"
    return f"{number} {many} nearly the same as others shown and were left out"
