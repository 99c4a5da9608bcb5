"""The words of a query with their rarity, and the number of memories to search.

Large owners are searched by the rarest words: a frequent one occurs in most rows, is not
informative and would take most of the time. The candidates are then scored by all words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import index_of

LONGEST_QUERY = 10_000
"""Characters of a query that are searched as words."""

FEW = 2_000
"""An owner with at most this many memories is read row by row and searched by all words."""

MOST_HOLDING = 500
"""Maximum memories of a larger owner in which the searched words occur, summed over words."""

QUESTION = r"""
SELECT lexeme, held, ln(1 + (total - held + 0.5) / (held + 0.5))::float8 AS weight, CAST(
    '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''' AS tsquery) AS word
FROM (SELECT lexeme, coalesce(t.memories, 0) AS held, greatest(coalesce(n.memories, 0),
        coalesce(t.memories, 0)) AS total
    FROM unnest(asked_words(:text)) AS asked (lexeme)
    LEFT JOIN LATERAL (SELECT memories FROM terms WHERE owner = :owner AND space = :space
        AND kind = :words AND term = lexeme LIMIT 1) t ON true
    LEFT JOIN terms n ON n.owner = :owner AND n.space = :space AND n.kind = :whole AND n.term = ''
    ORDER BY t.memories > 0 DESC NULLS LAST, t.memories, lexeme LIMIT 32) counted
"""
"""The words of a question with their inverse document frequency (Robertson, Sparck Jones)."""

SQL = load(__file__, question=QUESTION)


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a question, the number of the space's memories that contain it, and its weight."""

    lexeme: str
    held: int
    weight: float

    @property
    def query(self) -> str:
        """The word in `tsquery` syntax."""
        escaped = self.lexeme.replace("\\", "\\\\").replace("'", "''")
        return f"'{escaped}'"


def held_by_few(words: Iterable[QueryWord], most: int) -> list[QueryWord]:
    """Return the first words that occur in at most `most` memories in total; at least one."""
    chosen: list[QueryWord] = []
    holding = 0
    for word in words:
        holding += word.held
        if chosen and holding > most:
            break
        chosen.append(word)
    return chosen


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A question's words, the rarest stored ones first, and the number of memories to search.

    Attributes:
        visible: memories of the space that are not hidden: transcripts if they are searched, else
            all that are neither transcripts nor derived.
        stored: memories of the owner in all spaces: transcripts if they are searched, else all
            others.
        every: memories of the owner in all spaces, of any kind.
        indexed: the last memory covered by the owner's vector index for the searched model; None
            without an index.
    """

    words: tuple[QueryWord, ...]
    visible: int
    stored: int
    every: int
    indexed: int | None

    @property
    def few(self) -> bool:
        """Return whether so few memories are stored that every one may be read."""
        return self.stored <= FEW

    @property
    def whole(self) -> float:
        """The total weight of all words."""
        return sum(word.weight for word in self.words)

    def word_values(self) -> dict[str, Any]:
        """Return the parameters `word_N` and `weight_N` of the words."""
        words = {f"word_{n}": word.query for n, word in enumerate(self.words)}
        return {**words, **{f"weight_{n}": word.weight for n, word in enumerate(self.words)}}

    def sought(self, *, uncounted: bool = False) -> tuple[QueryWord, ...]:
        """Return the words by which memories are searched, rarest first.

        With few memories these are all stored words; else as many as occur in at most
        MOST_HOLDING memories in total, and at least one. With `uncounted` memories any word may
        occur, so words without a count are included.
        """
        stored = self.words if uncounted else tuple(word for word in self.words if word.held)
        return stored if self.few else tuple(held_by_few(stored, MOST_HOLDING))

    @property
    def cut(self) -> bool:
        """Return whether some memories that contain only frequent words were not searched."""
        sought = self.sought()
        return self.newest_only or len(sought) < sum(word.held > 0 for word in self.words)

    @property
    def newest_only(self) -> bool:
        """Return whether even the rarest word is so frequent that only the newest are taken."""
        sought = self.sought()
        return not self.few and bool(sought) and sought[0].held > MOST_HOLDING


async def weigh_terms(
    tx: Transaction, query: str, model: str | None, *, transcripts: bool = False
) -> QueryTerms:
    """Return the words of `query` with their counts in the transaction's space.

    Words of `transcripts` have separate counts. `model` is that of the searched vectors.
    """
    prefix = "transcript_" if transcripts else ""
    values = {
        "words": f"{prefix}word",
        "whole": f"{prefix}all",
        "text": query[:LONGEST_QUERY],
        "index": index_of(tx.owner, model) if model else None,
    }
    rows = await tx.all(SQL.weigh, values)
    words = (QueryWord(row.lexeme, row.held, row.weight) for row in rows if row.lexeme is not None)
    every, past = int(rows[0].every), int(rows[0].past)
    stored = past if transcripts else max(0, every - past)
    return QueryTerms(tuple(words), rows[0].visible, stored, every, rows[0].indexed)


async def words_in_passages(
    tx: Transaction, query: QueryTerms, passages: Sequence[str]
) -> list[frozenset[int]]:
    """Return, for each passage, the indexes of the query's words that occur in it."""
    if not passages or not query.words:
        return [frozenset() for _ in passages]
    values = {"words": [word.query for word in query.words], "passages": list(passages)}
    rows = await tx.tuples(SQL.words_in_passages, values)
    return [frozenset(int(n) - 1 for n in row[0]) for row in rows]
