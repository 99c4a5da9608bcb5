"""The rare words of chunks: how many chunks hold each, what it weighs, and who shares it.

A chunk is compared by its rarest words alone, and by no more than stand in `HOLDING` chunks
together: so a chunk of a large project costs no more than one of a small one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nsmallest
from operator import attrgetter
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

WORDS = 24
"""Words of a chunk that are compared, the rarest that stand in another, too."""

HOLDING = 100
"""Chunks that the words compared may stand in, counted word by word."""

WANTED = text("""
SELECT asked_words(said.text) FROM json_array_elements_text(CAST(:texts AS json)) WITH ORDINALITY
    AS said (text, place) ORDER BY said.place
""")
COUNTED = text("""
WITH held AS MATERIALIZED (
    SELECT t.term, t.memories AS held, n.memories AS every
    FROM (SELECT memories FROM terms WHERE owner = :owner AND space = :space
        AND kind = 'transcript_all' AND term = '') n
    CROSS JOIN json_array_elements_text(CAST(:terms AS json)) AS a (term)
    CROSS JOIN LATERAL (SELECT term, memories FROM terms WHERE owner = :owner
        AND space = :space AND kind = 'transcript_word' AND term = a.term LIMIT 1) t
    WHERE t.memories > 1 AND t.memories <= n.memories
)
SELECT h.term, h.held, w.weight FROM held h JOIN (
    SELECT held, ln(1 + (every - held + 0.5) / (held + 0.5))::float8 AS weight
    FROM (SELECT DISTINCT held, every FROM held) d) w USING (held)
""")
"""A logarithm is taken once for each number of chunks, not for each word."""

SHARING = text("""
WITH asked AS MATERIALIZED (
    SELECT chunk, place, word, weight FROM json_to_recordset(CAST(:rows AS json))
        AS a (chunk bigint, place int, word text, weight float8)
), held AS MATERIALIZED (
    SELECT s.word, h.id FROM (SELECT DISTINCT word FROM asked) s CROSS JOIN LATERAL (
        SELECT m.id FROM memories m WHERE m.owner = :owner AND m.deleted_at IS NULL
            AND m.source_kind = 'transcript' AND m.project || '' = :project
            AND m.context_words @@ CAST(s.word AS tsquery) OFFSET 0) h
), shared AS (
    SELECT a.chunk, h.id, sum(a.weight) AS shared, array_agg(a.place ORDER BY a.place) AS places,
        row_number() OVER (PARTITION BY a.chunk ORDER BY sum(a.weight) DESC, h.id) AS rank
    FROM asked a JOIN held h USING (word) WHERE h.id <> a.chunk GROUP BY a.chunk, h.id
)
SELECT s.chunk, s.id, c.at, s.shared, s.places FROM shared s
CROSS JOIN LATERAL (SELECT at FROM chunks WHERE owner = :owner AND memory_id = s.id LIMIT 1) c
WHERE s.rank <= :most ORDER BY s.chunk, s.shared DESC, s.id
""")
"""Each word is looked up once by the index: a chunk's own words, kilobytes, are never unpacked.
The project is written so that no index serves it: with one, all chunks of the project would be
listed for each word. For the same reason the times of what is found are looked up one by one."""

SETTLE = text("SELECT settle_words()")


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


async def settle(tx: Transaction) -> None:
    """Let words of what was just stored be looked up as fast as those of what has long been."""
    await tx.all(SETTLE)


async def rarest(tx: Transaction, said: Sequence[str]) -> list[list[RareWord]]:
    """Return of each text the rarest words that stand in two chunks at least, rarest first."""
    spoken = [words for (words,) in await tx.tuples(WANTED, {"texts": json.dumps(list(said))})]
    counted = await _counted(tx, {term for words in spoken for term in words})
    return [_few(counted[term] for term in set(words) & counted.keys()) for words in spoken]


async def sharing(
    tx: Transaction, project: str, asked: Mapping[int, Sequence[RareWord]], *, most: int
) -> dict[int, list[Sharing]]:
    """Return for each chunk the others of the project that share most of its words' weight.

    `asked` gives the rare words of each chunk, by its number.
    """
    rows = [
        {"chunk": chunk, "place": place, "word": _written(word.term), "weight": word.weight}
        for chunk, words in asked.items()
        for place, word in enumerate(words)
    ]
    found: dict[int, list[Sharing]] = {chunk: [] for chunk in asked}
    if not rows:
        return found
    values = {"owner": tx.owner, "project": project, "most": most, "rows": json.dumps(rows)}
    for chunk, other, at, shared, places in await tx.tuples(SHARING, values):
        words = tuple(asked[chunk][place].term for place in places)
        found[chunk].append(Sharing(other, at, shared, words))
    return found


async def _counted(tx: Transaction, terms: Iterable[str]) -> dict[str, RareWord]:
    """Return those of the words that stand in two chunks at least."""
    values = {"owner": tx.owner, "space": tx.space, "terms": json.dumps(sorted(terms))}
    return {row[0]: RareWord(*row) for row in await tx.tuples(COUNTED, values)}


def _few(words: Iterable[RareWord]) -> list[RareWord]:
    """Return the rarest words, as many as stand in `HOLDING` chunks; one at least."""
    chosen: list[RareWord] = []
    holding = 0
    for word in nsmallest(WORDS, words, key=attrgetter("held", "term")):
        holding += word.held
        if chosen and holding > HOLDING:
            break
        chosen.append(word)
    return chosen


def _written(term: str) -> str:
    """Return a word as a `tsquery` is written."""
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
