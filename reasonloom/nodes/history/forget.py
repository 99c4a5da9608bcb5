"""The `forget` tool: previews which chunks match, or hides them so that they can be restored."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from langgraph.runtime import Runtime

from reasonloom.contracts.history import HistoryForget, HistoryForgotten, MatchSummary, Spread
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.errors import UnknownName
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.evidence import similarity_score
from reasonloom.nodes.history import date_arguments, forget_rendering, projects
from reasonloom.nodes.history.erasure import erase
from reasonloom.nodes.history.forget_rendering import DELETED, DRY, cut
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.history import soft_deletes
from reasonloom.stores.history.chunk_lists import ChunkFilter
from reasonloom.stores.history.soft_deletes import Forgotten, Preview
from reasonloom.stores.memory.search import retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.memory.search.similarity import Match

BY_WORDS = (
    "there are no vectors to compare: the scores are the share of the query's words that a chunk "
    "holds, each weighing as much as it is rare"
)
UNCOMPARED = (
    "{n} chunks have no vector of {model} and were compared by words alone; "
    "`reasonloom db reindex` makes them"
)
BATCH = 5_000
UNRELATED, NAMED = 0.61, 0.7
"""Highest similarity of chunks that a topic does not name, and lowest of those that hold its words:
0.603 and 0.707 on the development half of the labelled set, as
`pytest -s tests/nodes/history/test_topic_scores.py` prints them for the default embedder."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A query, its vector if there is one, and notes.

    `floor` is the embedder's cosine similarity of unrelated texts.
    """

    query: str
    near: Nearness | None
    floor: float
    notes: list[str] = field(default_factory=list)


async def topic_of(embedder: Embedder, query: str) -> Topic:
    """Embed a query; without an embedder, only words are compared."""
    vectors, notes = await embed_or_note(embedder, [query])
    near = Nearness(vectors[0], embedder.model, SECTORS) if vectors else None
    return Topic(query, near, embedder.floor if near else 0.0, notes)


async def topic_scores(
    tx: Transaction, chosen: ChunkFilter, topic: Topic
) -> tuple[dict[int, float], list[str]]:
    """Return the similarity of each chosen chunk to the topic, 0..1, and notes.

    The cosine counts above the embedder's floor, and words by rarity, as in `memory_similar`.
    """
    numbers = await soft_deletes.ids(tx, chosen)
    if not numbers:
        return {}, topic.notes
    matches = await _matches(tx, chosen, topic, numbers)
    lacking = sum(match.cosine is None for match in matches.values())
    if topic.near is None or lacking == len(matches):
        shares = {key: match.coverage for key, match in matches.items()}
        return shares, [*topic.notes, BY_WORDS]
    note = UNCOMPARED.format(n=lacking, model=topic.near.model)
    scores = {
        key: likeness(similarity_score(match.cosine, match.coverage, topic.floor))
        for key, match in matches.items()
    }
    return scores, [*topic.notes, *([note] if lacking else [])]


def likeness(similarity: float) -> float:
    """Map a similarity to the scale of `threshold`, 0..1, where a named topic scores from 0.6."""
    return float(np.interp(similarity, (0, UNRELATED, NAMED, 1), (0, 0.4, 0.6, 1)))


async def _matches(
    tx: Transaction, chosen: ChunkFilter, topic: Topic, numbers: list[int]
) -> dict[int, Match]:
    """Match each chunk with the topic, by its vector and by the query's words."""
    scope = Scope(kinds=("transcript",), project=chosen.project)
    words = await retrieval.weigh_terms(
        tx, topic.query, topic.near.model if topic.near else None, transcripts=True
    )
    found: dict[int, Match] = {}
    for first in range(0, len(numbers), BATCH):
        some = numbers[first : first + BATCH]
        found |= await similarity.match_ids(tx, words, topic.near, scope=scope, ids=some)
    return found


MOST_LISTED = 5
"""Matches shown, as in the reference."""

NO_SESSION = 'no session of this project begins with "{name}"'


@dataclass(frozen=True, slots=True)
class Matched:
    """The matching chunks, nearest first if a topic was given, with their scores."""

    numbers: Sequence[int]
    scores: dict[int, float] | None
    notes: list[str]


async def history_forget(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return which chunks match, and hide them unless it is a dry run.

    Raises:
        InvalidArgument: a date is invalid, `after` is not before `before`, or the session id is an
            ambiguous prefix.
    """
    execution = runtime.context
    request = execution.request(HistoryForget)
    span = date_arguments.span_between(request.after, request.before, ("after", "before"))
    topic = await topic_of(execution.loom.embedder, request.query) if request.query else None
    days = execution.loom.settings.undo_days
    if not request.dry_run:
        await execution.loom.journal.flush()  # earlier results may not be written yet
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        chosen, notes = await _chosen(tx, request, ChunkFilter(request.project, None, span))
        matched = await _matched(tx, chosen, topic, request) if chosen else Matched((), None, [])
        gone = None
        if matched.numbers and not request.dry_run:
            at = execution.loom.clock()
            label = _request_label(request)
            gone = await soft_deletes.forget(tx, matched.numbers, request.project, label, at)
        answer, more = await _answer(tx, request, matched, gone, days)
        added = await complete_run(tx, execution, answer, notes=[*notes, *matched.notes, *more])
    if gone and not days:
        await erase(execution.loom.database, execution.caller, gone.number)
    return added


async def _chosen(
    tx: Transaction, request: HistoryForget, chosen: ChunkFilter
) -> tuple[ChunkFilter | None, list[str]]:
    """Return the filter of the matching chunks; None and why if project or session is unknown."""
    try:
        await projects.require_project(tx, request.project)
    except UnknownName as mistake:
        return None, [mistake.message]
    if request.session_id is None:
        return chosen, []
    session = await projects.require_session(tx, request.project, request.session_id, "session_id")
    if session is None:
        return None, [NO_SESSION.format(name=projects.display_name(request.session_id))]
    return ChunkFilter(chosen.project, session, chosen.span), []


async def _matched(
    tx: Transaction, chosen: ChunkFilter, topic: Topic | None, request: HistoryForget
) -> Matched:
    if topic is None:
        return Matched(await soft_deletes.ids(tx, chosen), None, [])
    scores, notes = await topic_scores(tx, chosen, topic)
    least = threshold(request.threshold)
    near = {key: score for key, score in scores.items() if score >= least}
    return Matched(sorted(near, key=lambda key: (-near[key], key)), near, notes)


def threshold(given: float) -> float:
    """Return a threshold as 0..1; values above 1 are percentages."""
    return given / 100 if given > 1 else given


def _request_label(request: HistoryForget) -> dict[str, Any]:
    """Return a call's description for the undo list; the caller's strings are shortened."""
    given = request.model_dump(mode="json", exclude_none=True, exclude={"project", "dry_run"})
    if request.query is None:
        given.pop("threshold", None)
    return {
        name: projects.display_name(value) if isinstance(value, str) else value
        for name, value in given.items()
    }


async def _answer(
    tx: Transaction, request: HistoryForget, matched: Matched, gone: Forgotten | None, days: float
) -> tuple[HistoryForgotten, list[str]]:
    """Return the answer, and a note on how to restore the hidden chunks within `days`."""
    best = matched.numbers[:MOST_LISTED] if matched.scores else ()
    begun = await soft_deletes.previews(tx, best, forget_rendering.HEAD) if best else {}
    matches = [(_match(matched, key, begun[key]), begun[key].time) for key in best]
    until = gone.forgotten_at + timedelta(days=days) if gone and days else None
    answer = HistoryForgotten(
        text=_answer_text(request, matched, matches, gone),
        project=request.project,
        dry_run=request.dry_run,
        matched=len(matched.numbers),
        forgotten=gone.chunks if gone else 0,
        scores=_spread(matched),
        matches=[match for match, _ in matches],
        undo=gone.number if gone and until else None,
        undo_until=until.isoformat() if until else None,
    )
    return answer, [forget_rendering.render_undo(gone.number, until)] if gone else []


def _answer_text(
    request: HistoryForget,
    matched: Matched,
    matches: Sequence[tuple[MatchSummary, datetime | None]],
    gone: Forgotten | None,
) -> str:
    least, n = threshold(request.threshold), len(matched.numbers)
    if not n:
        return forget_rendering.render_no_match(
            request.query if matched.scores is not None else None, least
        )
    if gone:
        return DELETED.format(n=gone.chunks, project=cut(request.project))
    spread = _spread(matched)
    if request.query is None or spread is None:
        return DRY.format(n=n, project=cut(request.project))
    return forget_rendering.render_topic_dry_run(
        n, request.query, least, request.project, spread, matches
    )


def _match(matched: Matched, key: int, begun: Preview) -> MatchSummary:
    return MatchSummary(
        id=f"mem-{key}",
        score=round(matched.scores[key], 4) if matched.scores else None,
        time=begun.time.isoformat() if begun.time else None,
        preview=forget_rendering.preview(begun.content),
    )


def _spread(matched: Matched) -> Spread | None:
    if not matched.scores:
        return None
    values = [round(score, 4) for score in matched.scores.values()]
    return Spread(max=max(values), min=min(values), median=round(statistics.median(values), 4))
