"""The rare words of chunks: their document frequency, their weight, and the chunks sharing them.

A chunk is compared only by its rarest words, which occur in at most `HOLDING` chunks in total, so
that a chunk of a large project costs no more than one of a small one.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nsmallest
from operator import attrgetter

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.query_terms import QueryWord, held_by_few
from reasonloom.stores.statements import load

WORDS = 24
"""Maximum words compared per chunk: the rarest that occur in another chunk too."""

HOLDING = 100
"""Maximum chunks in which the compared words may occur, summed over words."""

SQL = load(__file__)


RareWord = QueryWord
"""A stored word, how many chunks contain it, and its weight."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Another chunk: its time, the words it shares, and their weight."""

    id: int
    at: datetime
    shared: float
    words: tuple[str, ...]


async def settle(tx: Transaction) -> None:
    """Flush the index of words, so that new words are looked up as fast as old ones."""
    await tx.all(SQL.settle)


async def rarest(tx: Transaction, texts: Sequence[str]) -> list[list[RareWord]]:
    """Return the rarest words of each text that occur in at least two chunks, rarest first."""
    spoken = [words for (words,) in await tx.tuples(SQL.wanted, {"texts": json.dumps(list(texts))})]
    counted = await _counted(tx, {term for words in spoken for term in words})
    return [_few(counted[term] for term in set(words) & counted.keys()) for words in spoken]


async def sharing(
    tx: Transaction, project: str, wanted: Mapping[int, Sequence[RareWord]], *, most: int
) -> dict[int, list[Sharing]]:
    """Return, for each chunk, the project's other chunks that share the most word weight with it.

    `wanted` maps the id of each chunk to its rare words.
    """
    rows = [
        {"chunk": chunk, "place": place, "word": word.query, "weight": word.weight}
        for chunk, words in wanted.items()
        for place, word in enumerate(words)
    ]
    found: dict[int, list[Sharing]] = {chunk: [] for chunk in wanted}
    if not rows:
        return found
    values = {"project": project, "most": most, "rows": json.dumps(rows)}
    for chunk, other, at, shared, places in await tx.tuples(SQL.sharing, values):
        words = tuple(wanted[chunk][place].lexeme for place in places)
        found[chunk].append(Sharing(other, at, shared, words))
    return found


async def _counted(tx: Transaction, terms: Iterable[str]) -> dict[str, RareWord]:
    """Return the words that occur in at least two chunks."""
    values = {"terms": json.dumps(sorted(terms))}
    return {row[0]: RareWord(*row) for row in await tx.tuples(SQL.counted, values)}


def _few(words: Iterable[RareWord]) -> list[RareWord]:
    """Return the rarest words that occur in up to `HOLDING` chunks in total; at least one."""
    return held_by_few(nsmallest(WORDS, words, key=attrgetter("held", "lexeme")), HOLDING)
