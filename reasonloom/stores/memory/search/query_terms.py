"""The words of a query with their rarity, and how much there is to search.

Large owners are searched by the rarest words: a frequent one occurs in most rows, says little and
would take most of the time. What the rare ones find is scored by all words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import index_of

LONGEST_QUERY = 10_000
"""Characters of a query that are searched as words."""

FEW = 2_000
"""An owner with no more memories is read row by row, and all words are looked for."""

MOST_HOLDING = 500
"""Memories of a larger owner in which the words searched for may occur, summed over words."""

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
    """A word of a question, how many of the space's memories hold it, and what it weighs."""

    lexeme: str
    held: int
    weight: float

    @property
    def query(self) -> str:
        """The word as a `tsquery` is written."""
        escaped = self.lexeme.replace("\\", "\\\\").replace("'", "''")
        return f"'{escaped}'"


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A question's words, the rarest that are stored first, and how much there is to search.

    Attributes:
        visible: memories of the space that are not hidden: transcripts where they are asked for,
            else all that are neither transcripts nor derived.
        stored: memories of the owner in all spaces: transcripts where they are asked for, else
            all others.
        every: memories of the owner in all spaces, whatever they are.
        indexed: the last memory that the owner's index of nearness for the model asked
            holds; None without an index.
    """

    words: tuple[QueryWord, ...]
    visible: int
    stored: int
    every: int
    indexed: int | None

    @property
    def few(self) -> bool:
        """Tell whether so little is stored that every memory may be read."""
        return self.stored <= FEW

    @property
    def whole(self) -> float:
        """What all words weigh together."""
        return sum(word.weight for word in self.words)

    def word_values(self) -> dict[str, Any]:
        """Return the parameters `word_N` and `weight_N` of the words."""
        words = {f"word_{n}": word.query for n, word in enumerate(self.words)}
        return {**words, **{f"weight_{n}": word.weight for n, word in enumerate(self.words)}}

    def sought(self, *, uncounted: bool = False) -> tuple[QueryWord, ...]:
        """Return the words by which memories are looked for, the rarest first.

        All that are stored where few memories are; else as many as stand in no more than
        MOST_HOLDING memories, and one at least. In memories that are `uncounted` any word may
        stand.
        """
        stored = self.words if uncounted else tuple(word for word in self.words if word.held)
        if self.few:
            return stored
        chosen: list[QueryWord] = []
        holding = 0
        for word in stored:
            holding += word.held
            if chosen and holding > MOST_HOLDING:
                break
            chosen.append(word)
        return tuple(chosen)

    @property
    def cut(self) -> bool:
        """Tell whether memories that hold only frequent words were not all looked for."""
        sought = self.sought()
        return self.newest_only or len(sought) < sum(word.held > 0 for word in self.words)

    @property
    def newest_only(self) -> bool:
        """Tell whether even the rarest word is so frequent that only the newest are taken."""
        sought = self.sought()
        return not self.few and bool(sought) and sought[0].held > MOST_HOLDING


async def weigh_terms(
    tx: Transaction, query: str, model: str | None, *, transcripts: bool = False
) -> QueryTerms:
    """Return the words of `query` with their counts in the transaction's space.

    Words of `transcripts` have counts of their own. `model` is that of the vectors searched.
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
    """Return for each passage the places of the query's words that occur in it."""
    if not passages or not query.words:
        return [frozenset() for _ in passages]
    values = {"words": [word.query for word in query.words], "passages": list(passages)}
    rows = await tx.tuples(SQL.words_in_passages, values)
    return [frozenset(int(n) - 1 for n in row[0]) for row in rows]
