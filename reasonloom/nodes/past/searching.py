"""Searches past conversations: chunks by every signal, then the passages in them that answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.nodes.basins.expand import Hit, expand
from reasonloom.nodes.find import Scored, find
from reasonloom.nodes.past import naming
from reasonloom.nodes.past.excerpts import Excerpt, Rated, Source, chosen, rated
from reasonloom.nodes.past.fitting import room
from reasonloom.nodes.past.passages import passages
from reasonloom.nodes.past.telling import Piece
from reasonloom.nodes.vectors import embed_or_say
from reasonloom.stores import chunk_lists, passage_words, search
from reasonloom.stores.search import Scope

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution

READ = 20
"""Chunks that are found and read for passages."""

POOL = 80
"""Candidates that each list of the search gives: four times what is read."""

LEAST_COSINE = 0.3
"""What shares no word with the query must be so near to it: long texts are near to anything."""

TWINS = 20
"""Tokens kept for the note on what says the same."""

LONGEST = 4_000
"""Characters of a passage that are compared."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What is shown, the most relevant first, and what must be said of the search."""

    pieces: list[Piece] = field(default_factory=list)
    partly: frozenset[int] = frozenset()
    notes: list[str] = field(default_factory=list)


async def searched(execution: Execution, query: str, project: str | None, budget: int) -> Searched:
    """Return what answers `query`, as much as fits into `budget` tokens.

    Raises:
        UnknownName: there is no such project.
    """
    if project is not None:
        async with execution.loom.database.begin(execution.caller) as tx:
            await naming.require_project(tx, project)
    scope = Scope(kinds=("transcript",), project=project)
    finding = await find(execution, query, scope=scope, limit=READ, pool=POOL)
    sources = [_source(scored) for scored in finding.page]
    sources += await _siblings(execution, finding.page, scope)
    passages_rated = await _rated(execution, query, sources)
    excerpts, twins = chosen(passages_rated, room(budget, finding.notes) - TWINS)
    notes = [*finding.notes, *([_twins(twins)] if twins else [])]
    return await _placed(execution, excerpts, notes)


def _source(scored: Scored) -> Source:
    signals = scored.signals
    return Source(
        id=scored.memory.id,
        content=scored.memory.content,
        passages=passages(scored.memory.content),
        own=signals.own() if signals else 0.0,
        date=signals.date if signals else 0.0,
    )


async def _siblings(execution: Execution, found: Sequence[Scored], scope: Scope) -> list[Source]:
    """Return chunks that stand in the clusters of the best that were found."""
    if not found:
        return []
    hits = [Hit(each.memory.id, each.parts.similarity or 0.0) for each in found]
    model = execution.loom.embedder.model
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        reached = await expand(tx, hits, model=model, scope=scope)
        memories = await search.fetch(tx, [each.id for each in reached]) if reached else []
    score = {each.id: each.score for each in reached}
    return [
        Source(each.id, each.content, passages(each.content), score[each.id], led=True)
        for each in memories
    ]


async def _rated(execution: Execution, query: str, sources: Sequence[Source]) -> list[Rated]:
    """Return the passages of what was found; those of chunks that only seem near are left out."""
    texts = [text for source in sources for text in source.texts()]
    if not texts:
        return []
    cut = [text[:LONGEST] for text in texts]
    vectors, _ = await embed_or_say(execution.loom.embedder, [query, *cut])
    cosines = [_dot(vectors[0], vector) for vector in vectors[1:]] or [0.0] * len(texts)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        asked = await search.weigh(tx, query, None, transcripts=True)
        held = await passage_words.held(tx, asked, texts)
    weights = [word.weight for word in asked.words]
    found: list[Rated] = []
    start = 0
    for source in sources:
        end = start + len(source.passages)
        if (
            source.led
            or source.date
            or any(held[start:end])
            or max(cosines[start:end]) >= LEAST_COSINE
        ):
            found += rated(source, query, weights, held[start:end], cosines[start:end])
        start = end
    return found


async def _placed(execution: Execution, excerpts: Sequence[Excerpt], notes: list[str]) -> Searched:
    """Return the excerpts with where they stand; what was forgotten meanwhile is left out."""
    if not excerpts:
        return Searched(notes=notes)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        places = await chunk_lists.places(tx, [each.source.id for each in excerpts])
    pieces = [
        Piece(
            id=each.source.id,
            project=place.project,
            session=place.session,
            agent=place.agent,
            time=place.time,
            tokens=place.tokens,
            content=each.text(),
            score=each.relevance,
        )
        for each in excerpts
        if (place := places.get(each.source.id))
    ]
    partly = frozenset(each.source.id for each in excerpts if not each.whole)
    return Searched(pieces, partly, notes)


def _twins(number: int) -> str:
    many = "passage says" if number == 1 else "passages say"
    return f"{number} {many} nearly the same as others shown and were left out"


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(map(float.__mul__, one, other))
