"""Fills a database with chunks of past conversations, as reading transcripts would have stored."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID, uuid5

import numpy as np

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.evals.bench.load import NAMESPACE, seed_of
from reasonloom.evals.suites.history.vocabulary import Prose
from reasonloom.stores.history import (
    chunk_sequence,
    chunks,
    history_sessions,
    projects,
    transcripts,
)
from reasonloom.stores.history.chunks import ChunkRow
from reasonloom.stores.history.transcripts import TranscriptRow
from reasonloom.stores.memory.memories import NewMemory

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder
    from reasonloom.stores.database import Database

BATCH = 500
CHUNKS, SESSIONS = 50, 40
"""Chunks of a session, and sessions of a project."""

CHARACTERS = (900, 3_600)
"""Of a chunk: 200 to 800 tokens."""

PART = 500
"""Characters that one speaker says about at once."""

PER_TOKEN = 4.5


def texts(owner: str) -> Iterator[str]:
    """Yield the texts of an owner's chunks, a topic a session, the same at each run."""
    dice = np.random.default_rng(seed_of(owner))
    prose = Prose(dice)
    for number in itertools.count():
        if number % CHUNKS == 0:
            prose.turn_to(number // CHUNKS)
        length = int(dice.integers(*CHARACTERS))
        parts = [prose.text(PART) for _ in range(max(1, length // PART))]
        marks = itertools.cycle(("[User]", "[Assistant]"))
        yield "\n".join(f"{mark}\n{part}" for mark, part in zip(marks, parts, strict=False))


def queries(owner: str, size: int) -> Iterator[str]:
    """Yield questions of six to twelve words, each about another topic of the first `size` texts.

    So each finds other chunks than those before it, until every topic was asked for.
    """
    dice = np.random.default_rng(seed_of(owner) + 1)
    prose = Prose(np.random.default_rng(seed_of(owner)))  # the words of `texts`
    topics = max(1, size // CHUNKS)
    for topic in itertools.cycle(dice.permutation(topics).tolist()):
        prose.turn_to(topic)
        words = prose.text(200).split()[: int(dice.integers(6, 13))]
        yield " ".join(words) + "?"


async def load_chunks(database: Database, embedder: Embedder, owner: str, size: int) -> None:
    """Store `size` chunks of `owner` with vectors and sequence edges, a batch a transaction."""
    transcript = uuid5(NAMESPACE, f"{owner}/transcript")
    caller = Caller(owner)
    async with database.begin(caller) as tx:
        row = TranscriptRow(transcript, f"/{owner}.jsonl", "claude-code")
        await transcripts.make(tx, [row])
    made = itertools.islice(enumerate(texts(owner)), size)
    while batch := list(itertools.islice(made, BATCH)):
        vectors = await embedder.embed([text for _, text in batch])
        async with database.begin(caller) as tx:
            new = [_new(owner, number, text, transcript) for number, text in batch]
            slugs = {row.project: await projects.project_for(tx, row.project) for _, row in new}
            places = [(row.session, slugs[row.project]) for _, row in new]
            known = await history_sessions.sessions_for(tx, list(dict.fromkeys(places)))
            rows = [
                (
                    replace(
                        memory,
                        session_id=known[place],
                        project=place[1],
                        vectors=dict.fromkeys(SECTORS, vector),
                        model=embedder.model,
                    ),
                    replace(row, project=place[1]),
                )
                for (memory, row), place, vector in zip(new, places, vectors, strict=True)
            ]
            await chunks.add(tx, rows)
            await chunk_sequence.follow(tx, [row.lane for _, row in rows])


def _new(owner: str, number: int, text: str, transcript: UUID) -> tuple[NewMemory, ChunkRow]:
    at = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=5 * number)
    session = number // CHUNKS
    size = round(len(text) / PER_TOKEN)
    memory = NewMemory(
        effect=uuid5(NAMESPACE, f"{owner}/chunk/{number}"),
        content=text,
        sector="episodic",
        event_type="episode",
        source_kind="transcript",
        principal=owner,
        tool="history",
        salience=0.5,
        importance=0.5,
        decay_rate=0.0,
        token_count=size,
        created_at=at,
    )
    row = ChunkRow(
        key=f"{owner}/{number}",
        transcript=transcript,
        project=f"/bench/project-{session // SESSIONS}",
        session=f"{session:08d}-{owner}",
        agent=None,
        first_turn=number,
        last_turn=number,
        ordinal=0,
        started_at=at,
        ended_at=at + timedelta(minutes=4),
        at=at,
        tokens=size,
        continues=False,
    )
    return memory, row
