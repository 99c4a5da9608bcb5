"""Which chunks are about a topic: by the likeness of vectors, or by words where there are none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.stores.history import soft_deletes
from reasonloom.stores.memory.search import judged, retrieval
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.history.chunk_lists import Chosen

BY_WORDS = (
    "there are no vectors to compare: the scores are the share of the query's words that a chunk "
    "holds, each weighing as much as it is rare"
)
UNCOMPARED = (
    "{n} chunks have no vector of {model} and were not compared; `reasonloom db reindex` makes them"
)
BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Topic:
    """What is asked, its vector if there is one, and what must be said of that."""

    query: str
    near: Nearness | None
    notes: list[str] = field(default_factory=list)


async def topic(execution: Execution, query: str) -> Topic:
    """Return a query with its vector; without an embedder words are compared."""
    embedder = execution.loom.embedder
    vectors, notes = await embed_or_say(embedder, [query])
    return Topic(query, Nearness(vectors[0], embedder.model, SECTORS) if vectors else None, notes)


async def scores(
    tx: Transaction, chosen: Chosen, asked: Topic
) -> tuple[dict[int, float], list[str]]:
    """Return how near each of the chunks is to the topic, 0..1, and what must be said of it."""
    numbers = await soft_deletes.ids(tx, chosen)
    if not numbers:
        return {}, asked.notes
    if asked.near is not None:
        found = await soft_deletes.likeness(tx, chosen, asked.near)
        lacking = len(numbers) - len(found)
        if found:
            note = UNCOMPARED.format(n=lacking, model=asked.near.model)
            return found, [*asked.notes, *([note] if lacking else [])]
    return await _by_words(tx, chosen, asked.query, numbers), [*asked.notes, BY_WORDS]


async def _by_words(
    tx: Transaction, chosen: Chosen, query: str, numbers: list[int]
) -> dict[int, float]:
    """Return the share of the query's words that each chunk holds."""
    scope = Scope(kinds=("transcript",), project=chosen.project)
    words = await retrieval.weigh(tx, query, None, transcripts=True)
    found: dict[int, float] = {}
    for first in range(0, len(numbers), BATCH):
        some = numbers[first : first + BATCH]
        judged_now = await judged.judge(tx, words, None, scope=scope, ids=some)
        found |= {key: match.coverage for key, match in judged_now.items()}
    return found
