"""What links need of chunks: their facts, the rare words they share with others, their sessions.

A chunk is compared by its rarest words alone, and by no more than stand in `HOLDING` chunks
together: so a chunk of a large project costs no more than one of a small one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

WORDS = 24
"""Words of a chunk that are compared, the rarest that stand in another, too."""

HOLDING = 100
"""Chunks that the words compared may stand in, counted word by word."""

FACTS = """
c.memory_id AS id, c.project, c.session, c.agent, c.at, c.started_at, c.ended_at, c.files, c.errors,
c.names, m.content
"""
SHOWN = "m.owner = :owner AND m.deleted_at IS NULL AND m.source_kind = 'transcript'"
BY_ID = text(f"""
SELECT {FACTS} FROM chunks c JOIN memories m ON m.id = c.memory_id AND {SHOWN}
WHERE c.owner = :owner AND c.memory_id = ANY(CAST(:ids AS bigint[])) ORDER BY c.at, c.memory_id
""")  # noqa: S608 - names of columns, no values
RAREST = text(f"""
SELECT said.place, rare.term, rare.held, ln(1 + (n.memories - rare.held + 0.5)
    / (rare.held + 0.5))::float8 AS weight
FROM unnest(CAST(:texts AS text[])) WITH ORDINALITY AS said (text, place)
CROSS JOIN (SELECT memories FROM terms WHERE owner = :owner AND space = :space
    AND kind = 'transcript_all' AND term = '') n
CROSS JOIN LATERAL (
    SELECT t.term, t.memories AS held
    FROM (SELECT DISTINCT unnest(asked_words(said.text)) AS term) a
    CROSS JOIN LATERAL (SELECT term, memories FROM terms WHERE owner = :owner
        AND space = :space AND kind = 'transcript_word' AND term = a.term LIMIT 1) t
    WHERE t.memories > 1 AND t.memories <= n.memories
    ORDER BY t.memories, t.term LIMIT {WORDS}) rare
ORDER BY said.place, rare.held, rare.term
""")  # noqa: S608 - a number of our own
SHARING = text(f"""
WITH asked AS MATERIALIZED (
    SELECT chunk, place, word, weight FROM unnest(CAST(:chunks AS bigint[]),
        CAST(:places AS int[]), CAST(:words AS text[]), CAST(:weights AS float8[]))
        AS a (chunk, place, word, weight)
), held AS MATERIALIZED (
    SELECT s.word, h.id FROM (SELECT DISTINCT word FROM asked) s CROSS JOIN LATERAL (
        SELECT m.id FROM memories m WHERE {SHOWN} AND m.project = :project
            AND m.context_words @@ CAST(s.word AS tsquery) OFFSET 0) h
), shared AS (
    SELECT a.chunk, h.id, sum(a.weight) AS shared, array_agg(a.place ORDER BY a.place) AS places,
        row_number() OVER (PARTITION BY a.chunk ORDER BY sum(a.weight) DESC, h.id) AS rank
    FROM asked a JOIN held h USING (word) WHERE h.id <> a.chunk GROUP BY a.chunk, h.id
)
SELECT s.chunk, s.id, c.at, s.shared, s.places FROM shared s
JOIN chunks c ON c.owner = :owner AND c.memory_id = s.id
WHERE s.rank <= :most ORDER BY s.chunk, s.shared DESC, s.id
""")  # noqa: S608 - our own condition, no values
"""Each word is looked up once by the index: a chunk's own words, kilobytes, are never unpacked."""

BEFORE = text("""
SELECT session, id, ended FROM (
    SELECT DISTINCT ON (c.session) c.session, c.memory_id AS id, c.at,
        coalesce(c.ended_at, c.at) AS ended
    FROM (SELECT * FROM chunks WHERE owner = :owner AND project = :project AND forgotten IS NULL
            AND agent IS NULL AND session <> :session AND at <= :at
            ORDER BY at DESC, memory_id DESC LIMIT :read) c
    ORDER BY c.session, c.at DESC, c.first_turn DESC, c.ordinal DESC, c.memory_id DESC) last
ORDER BY at DESC, id DESC LIMIT :most
""")
FIRST = text("""
SELECT DISTINCT ON (session) memory_id AS id FROM chunks
WHERE owner = :owner AND project = :project AND session = ANY(CAST(:sessions AS text[]))
    AND agent IS NULL AND forgotten IS NULL
ORDER BY session, at, first_turn, ordinal, memory_id
""")
SETTLE = text("SELECT settle_words()")
CLEAR = text("""
DELETE FROM edges WHERE owner = :owner AND (
    (origin = 'cause' AND source_id = ANY(CAST(:ids AS bigint[])))
    OR (origin = 'continuation' AND target_id = ANY(CAST(:ids AS bigint[]))))
""")
ADD = text("""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, reason)
SELECT :owner, source, target, type, weight, origin, reason
FROM json_to_recordset(CAST(:rows AS json)) AS r
    (source bigint, target bigint, type text, weight float8, origin text, reason text)
ON CONFLICT (owner, source_id, target_id, type) DO NOTHING
""")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a chunk says of itself; `started_at` is None where its transcript tells no time."""

    id: int
    project: str
    session: str
    agent: str | None
    at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    files: list[str]
    errors: list[str]
    names: list[str]
    content: str


@dataclass(frozen=True, slots=True)
class RareWord:
    """A word as it is stored, how many chunks hold it, and what it weighs by that."""

    term: str
    held: int
    weight: float


@dataclass(frozen=True, slots=True)
class Sharing:
    """Another chunk: when it was, what the words it shares weigh, and which those are."""

    id: int
    at: datetime
    shared: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """A session's last chunk, and when it ended."""

    session: str
    id: int
    ended: datetime


@dataclass(frozen=True, slots=True)
class NewEdge:
    """An edge to be written; `weight` is 0..1."""

    source: int
    target: int
    type: str
    weight: float
    origin: str
    reason: str


async def facts(tx: Transaction, ids: Sequence[int]) -> list[Facts]:
    """Return the chunks of `ids` that are there and not hidden, in order of time."""
    rows = await tx.all(BY_ID, {"owner": tx.owner, "ids": list(ids)})
    return [Facts(**row._mapping) for row in rows]


async def rarest(tx: Transaction, said: Sequence[str]) -> list[list[RareWord]]:
    """Return of each text the rarest words that stand in two chunks at least, rarest first."""
    rows = await tx.tuples(RAREST, {"owner": tx.owner, "space": tx.space, "texts": list(said)})
    found: list[list[RareWord]] = [[] for _ in said]
    for place, *word in rows:
        found[place - 1].append(RareWord(*word))
    return [_few(words) for words in found]


async def sharing(
    tx: Transaction, project: str, asked: Mapping[int, Sequence[RareWord]], *, most: int
) -> dict[int, list[Sharing]]:
    """Return for each chunk the others of the project that share most of its words' weight.

    `asked` gives the rare words of each chunk, by its number.
    """
    rows = [
        (chunk, place, _written(word.term), word.weight)
        for chunk, words in asked.items()
        for place, word in enumerate(words)
    ]
    found: dict[int, list[Sharing]] = {chunk: [] for chunk in asked}
    if not rows:
        return found
    columns = dict(
        zip(("chunks", "places", "words", "weights"), zip(*rows, strict=True), strict=True)
    )
    values = {name: list(column) for name, column in columns.items()}
    given = {"owner": tx.owner, "project": project, "most": most, **values}
    for chunk, key, at, shared, places in await tx.tuples(SHARING, given):
        terms = tuple(asked[chunk][place].term for place in places)
        found[chunk].append(Sharing(key, at, shared, terms))
    return found


async def sessions_before(
    tx: Transaction, chunk: Facts, *, most: int, read: int = 200
) -> list[Ended]:
    """Return the last chunks of the sessions before a chunk in its project, the latest first."""
    values = {
        "owner": tx.owner,
        "project": chunk.project,
        "session": chunk.session,
        "at": chunk.at,
        "read": read,
        "most": most,
    }
    return [Ended(*row) for row in await tx.tuples(BEFORE, values)]


async def first_of(tx: Transaction, project: str, sessions: Sequence[str]) -> set[int]:
    """Return the first chunk of the main conversation of each session."""
    values = {"owner": tx.owner, "project": project, "sessions": list(sessions)}
    return {row.id for row in await tx.all(FIRST, values)}


async def settle(tx: Transaction) -> None:
    """Let words of what was just stored be looked up as fast as those of what has long been."""
    await tx.all(SETTLE)


async def replace(tx: Transaction, ids: Sequence[int], edges: Sequence[NewEdge]) -> None:
    """Let these be the edges of cause and continuation of the chunks `ids`, and no others."""
    await tx.run(CLEAR, {"owner": tx.owner, "ids": list(ids)})
    if edges:
        rows = [{name: getattr(edge, name) for name in NewEdge.__slots__} for edge in edges]
        await tx.run(ADD, {"owner": tx.owner, "rows": json.dumps(rows)})


def _few(words: Sequence[RareWord]) -> list[RareWord]:
    """Return the first words, as many as stand in `HOLDING` chunks; one at least."""
    chosen: list[RareWord] = []
    holding = 0
    for word in words:
        holding += word.held
        if chosen and holding > HOLDING:
            break
        chosen.append(word)
    return chosen


def _written(term: str) -> str:
    """Return a word as a `tsquery` is written."""
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
