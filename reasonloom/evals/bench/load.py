"""Fills a database for a benchmark by the bulk path, with what `remember` would have stored."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, cast
from uuid import UUID, uuid5

from reasonloom.contracts.caller import Caller
from reasonloom.evals.bench.sentences import SEED, sentences
from reasonloom.nodes.memory.embedding import Viewed, views
from reasonloom.nodes.memory.new_memory import DECAY_PER_DAY, estimated_tokens, keywords, salience
from reasonloom.stores.memory.import_rows import store_many
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.sessions.sessions import open_session

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder
    from reasonloom.stores.database import Database

BATCH = 500
TURNS = 50
"""Memories of one session."""

NAMESPACE = UUID("6a1f3f36-37a5-4c51-9b5e-0f6f1f6a7d11")


def seed_of(owner: str) -> int:
    """Return the seed of what an owner says."""
    return sum(owner.encode()) * 1009 + SEED


async def load(database: Database, embedder: Embedder, owner: str, memories: int) -> None:
    """Store `memories` of `owner`, a batch a transaction."""
    made = itertools.islice(_new(owner), memories)
    while batch := list(itertools.islice(made, BATCH)):
        embedded = await _embedded(embedder, batch)
        async with database.begin(Caller(owner)) as tx:
            for session in dict.fromkeys(each.session_id for each in batch):
                await open_session(tx, cast("UUID", session))
            await store_many(tx, embedded)


def _new(owner: str) -> Iterator[NewMemory]:
    beginning = datetime.now(UTC)  # what is old would be weakened while it is measured
    for number, content in enumerate(sentences(seed_of(owner))):
        yield NewMemory(
            effect=uuid5(NAMESPACE, f"{owner}/{number}"),
            content=content,
            sector="semantic",
            event_type="fact",
            source_kind="user",
            principal=owner,
            tool="remember",
            salience=salience(content, 0.5),
            importance=0.5,
            decay_rate=DECAY_PER_DAY["semantic"],
            token_count=estimated_tokens(content),
            created_at=beginning + timedelta(milliseconds=number),
            session_id=uuid5(NAMESPACE, f"{owner}/session/{number // TURNS}"),
            keywords=keywords(content),
        )


async def _embedded(embedder: Embedder, batch: list[NewMemory]) -> list[NewMemory]:
    """Return the memories with their five views' vectors, embedded at once."""
    texts = [views(Viewed(each.content, each.created_at)) for each in batch]
    different = list(dict.fromkeys(text for each in texts for text in each.values()))
    vector = dict(zip(different, await embedder.embed(different), strict=True))
    return [
        replace(
            memory,
            vectors={sector: vector[text] for sector, text in viewed.items()},
            model=embedder.model,
        )
        for memory, viewed in zip(batch, texts, strict=True)
    ]
