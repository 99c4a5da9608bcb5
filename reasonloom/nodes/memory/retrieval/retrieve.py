"""Retrieves memories: merges the candidates of all lists, without gating, under one score.

Used by the `recall` tool and every reasoning mode.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.memory.recall import ExplainedRecall, ExplainedSearch, Explanation
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.execution import Execution, Loom, searching
from reasonloom.nodes.memory.calendar.periods import question_time
from reasonloom.nodes.memory.calendar.terms import date_terms_of_query
from reasonloom.nodes.memory.embedding import OTHER_VECTORS, embed_or_note
from reasonloom.nodes.memory.injection.detection import injection_notes
from reasonloom.nodes.memory.retrieval.candidates import RankedMemory, Ranking, RankingQuery, rank
from reasonloom.nodes.memory.retrieval.reorder import BEST, Pair, reorder, rivals
from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory, ScoreParts, recency_of
from reasonloom.nodes.memory.validity import held_span
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import reindex
from reasonloom.stores.memory.search import fulltext, retrieval, similarity
from reasonloom.stores.memory.search.query_terms import QueryTerms
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.pipelines import together
from reasonloom.text.sentences import QUESTION


def scope_of(
    request: ExplainedRecall | ExplainedSearch, *, now: datetime, superseded: bool = False
) -> Scope:
    """Return the search scope of a request's filters.

    Raises:
        InvalidArgument: the requested time is in the future.
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
"""Candidates per list, independent of the page, so that pages are consistent."""


DIGITS = 6
"""Decimal places of a score in answers."""


@dataclass(frozen=True, slots=True)
class RetrievedPage:
    """One page of memories, best first, with the total and notes on omissions.

    `readings` maps memory ids to the reader's log-odds that the memory answers the question; only
    the top results have one.
    """

    page: list[ScoredMemory]
    total: int
    notes: list[str] = field(default_factory=list)
    readings: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Search:
    """A query, the memories to search, and the page of results to return.

    Attributes:
        pool: the number of candidates that each list contributes.
    """

    query: str
    scope: Scope
    sectors: Sequence[str] = SECTORS
    offset: int = 0
    limit: int = 10
    pool: int = POOL

    @property
    def start(self) -> int:
        """Rank of the first memory to fetch: 0 if reordering may affect the page."""
        return 0 if self.offset < BEST else self.offset

    @property
    def end(self) -> int:
        """Rank after the last memory to fetch."""
        return max(self.offset + self.limit, BEST)

    @property
    def asks(self) -> bool:
        """Whether the query is a question whose top results the reader reorders."""
        return not self.start and QUESTION.search(self.query) is not None


@dataclass(slots=True)
class Found:
    """Intermediate results of a search; `label` returns the id that names a memory's key."""

    search: Search
    question: RankingQuery
    ranking: Ranking
    memories: list[ScoredMemory]
    notes: list[str]
    label: Callable[[int], str] = "mem-{}".format

    def page(self, readings: Mapping[int, float], *, guarded: bool) -> RetrievedPage:
        """Return the page asked for; if `guarded`, with notes on suspicious memories."""
        start = self.search.offset - self.search.start
        memories = self.memories[start : start + self.search.limit]
        own = [each.memory for each in memories if each.memory.source_kind != "transcript"]
        if guarded:
            contents = {self.label(each.id): each.content for each in own}
            self.notes += injection_notes(contents, self.search.query)
        return RetrievedPage(memories, len(self.ranking.ranked), self.notes, readings)


async def retrieve(
    execution: Execution,
    query: str | None,
    *,
    scope: Scope,
    sectors: Sequence[str] = SECTORS,
    offset: int = 0,
    limit: int = 10,
) -> RetrievedPage:
    """Return a page of the memories in `scope`, best first; with `query`, only those that match."""
    if query:
        search = Search(query, scope, sectors, offset, limit)
        return (await retrieve_all(execution, [search]))[0]
    most = max(POOL, offset + limit)
    async with searching(execution) as tx:
        ids, (total, _) = await together(
            retrieval.most_salient(tx, scope=scope, pool=most), fulltext.size(tx, scope)
        )
        tx.end_with_next()
        memories = await retrieval.fetch(tx, ids)
    now = scope.held_to or execution.loom.clock()
    recency = recency_of(now, execution.loom.settings.recency_half_life_days)
    scored = [
        ScoredMemory(each, ScoreParts(each.salience, recency(each.valid_from), each.link))
        for each in memories
    ]
    ordered = sorted(scored, key=lambda each: (-each.score, each.memory.id))
    return RetrievedPage(ordered[offset : offset + limit], total)


async def retrieve_all(execution: Execution, searches: Sequence[Search]) -> list[RetrievedPage]:
    """Return the page of each search, in as many round trips as a single search takes.

    The queries are embedded before the transaction that searches.
    """
    read = await read_terms(execution, searches)
    questions, notes = await ranking_queries(execution.loom, searches, read)
    found = await find(execution, searches, questions, notes)
    return await read_best(execution.loom, found, partial(cosines_among, execution))


async def cosines_among(execution: Execution, ids: Set[int]) -> dict[Pair, float]:
    """Return the pairwise cosine similarities of memories in the caller's space."""
    loom = execution.loom
    async with loom.database.begin(execution.caller, searching=True, once=True) as tx:
        return await similarity.cosines(tx, ids, loom.embedder.model)


async def find(
    execution: Execution,
    searches: Sequence[Search],
    questions: Sequence[RankingQuery],
    notes: Sequence[str],
) -> list[Found]:
    """Return the best memories of each search, before the reader reorders them."""
    loom = execution.loom
    async with searching(execution) as tx:
        rankings = await together(
            *(
                _rank(tx, execution, question, each)
                for question, each in zip(questions, searches, strict=True)
            )
        )
        tx.end_with_next()
        fetched = await together(
            *(
                together(
                    _fetch_page(tx, ranking.ranked[each.start : each.end]),
                    retrieval_notes(tx, ranking, loom.embedder.model, each.pool),
                )
                for ranking, each in zip(rankings, searches, strict=True)
            )
        )
    return [
        Found(search, question, ranking, memories, [*notes, *left_out])
        for search, question, ranking, (memories, left_out) in zip(
            searches, questions, rankings, fetched, strict=True
        )
    ]


Terms = tuple[Mapping[str, bool], QueryTerms]
"""The tags of a space that a query names, each whether on many memories, and its terms there."""


async def read_terms(execution: Execution, searches: Sequence[Search]) -> list[Terms]:
    """Return what the caller's space knows of the words of each query, in one round trip."""
    loom = execution.loom
    model = loom.embedder.model
    async with searching(execution, once=True) as tx:
        return list(
            await together(
                *(
                    together(
                        retrieval.tags_in(tx, each.query),
                        retrieval.weigh_terms(
                            tx, each.query, model, transcripts=each.scope.of_transcripts
                        ),
                    )
                    for each in searches
                )
            )
        )


async def ranking_queries(
    loom: Loom, searches: Sequence[Search], read: Sequence[Terms]
) -> tuple[list[RankingQuery], list[str]]:
    """Return each search's ranking query, and a note if the texts could not be embedded.

    All texts are embedded at once, equal ones a single time.
    """
    model = loom.embedder.model
    named = [_tags_named(each.query, tags) for each, (tags, _) in zip(searches, read, strict=True)]
    texts = [
        _without_names(each.query, {name for name in names if tags[name]})
        for each, names, (tags, _) in zip(searches, named, read, strict=True)
    ]
    vectors, notes = await embed_or_note(loom.embedder, texts)
    questions = []
    for place, (each, names, (_, terms)) in enumerate(zip(searches, named, read, strict=True)):
        near = Nearness(vectors[place], model, each.sectors) if vectors else None
        today = (each.scope.held_to or loom.clock()).date()
        time, dates = question_time(each.query, today), date_terms_of_query(each.query, today)
        questions.append(
            RankingQuery(
                each.query, terms, near, names, dates, loom.embedder.floor,
                loom.settings.suspicion, time,
            )
        )  # fmt: skip
    return questions, notes


# If all memories are about a few people, every question names one of them, and vector similarity
# would favour greetings; the names still count in the word and tag signals. A tag of only a few
# memories, such as "address", is the topic of the question and is not removed.


def _tags_named(query: str, tags: Iterable[str]) -> frozenset[str]:
    """Return the `tags` that occur in `query` as whole words, ignoring case."""
    return frozenset(tag for tag in tags if _name_pattern(tag).search(query))


def _without_names(query: str, names: Set[str]) -> str:
    """Return `query` without `names`; unchanged if nothing else would remain."""
    rest = query
    for name in sorted(names, key=len, reverse=True):
        rest = _name_pattern(name).sub(" ", rest)
    return rest if any(character.isalnum() for character in rest) else query


def _name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", re.IGNORECASE)


async def _rank(
    tx: Transaction, execution: Execution, question: RankingQuery, search: Search
) -> Ranking:
    if search.scope.of_transcripts and not question.terms.visible:
        return Ranking([], cut=False, unlike=False)
    return await rank(tx, execution, question, scope=search.scope, pool=search.pool)


async def read_best(
    loom: Loom,
    found: Sequence[Found],
    cosines_of: Callable[[Set[int]], Awaitable[Mapping[Pair, float]]],
) -> list[RetrievedPage]:
    """Return the pages; for questions, the reader reorders the top results."""
    compares = loom.settings.supersede != "off"
    pairs = [
        rivals(each.memories, each.search.scope.held_to or loom.clock())
        if compares and each.search.asks and each.question.near
        else []
        for each in found
    ]
    ids = {one for some in pairs for pair in some for one in pair}
    cosines = await cosines_of(ids) if ids else {}
    pages = []
    for each, some in zip(found, pairs, strict=True):
        readings: dict[int, float] = {}
        if each.search.asks:
            alike = {pair: cosines[pair] for pair in some if pair in cosines}
            each.memories, readings = await reorder(
                each.search.query, each.memories, each.question.time, alike
            )
        pages.append(each.page(readings, guarded=loom.settings.suspicion))
    return pages


async def retrieval_notes(tx: Transaction, found: Ranking, model: str, pool: int) -> list[str]:
    """Return notes on what a search omitted."""
    notes = []
    if found.unlike and (others := await reindex.foreign_models(tx, model)):
        notes.append(OTHER_VECTORS.format(models=", ".join(others)))
    if len(found.ranked) >= pool:
        notes.append(f"many memories match; the best {len(found.ranked)} were ranked")
    if found.cut:
        notes.append("memories that share only frequent words with the question were left out")
    return notes


async def _fetch_page(tx: Transaction, ranked: Sequence[RankedMemory]) -> list[ScoredMemory]:
    """Return the memories of one page, in rank order."""
    found = await retrieval.fetch(tx, [each.id for each in ranked]) if ranked else []
    memories = {memory.id: memory for memory in found}
    return [
        ScoredMemory(memories[each.id], each.parts, each.signals)
        for each in ranked
        if each.id in memories
    ]


def explain_score(scored: ScoredMemory) -> Explanation:
    """Return the components of a score."""
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
