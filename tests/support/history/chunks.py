"""Chunks for tests of the store, made by hand: no file is read, no vector is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.stores.database import Transaction
from reasonloom.stores.history import chunks, projects, transcripts
from reasonloom.stores.history.chunks import ChunkRow
from reasonloom.stores.history.transcripts import TranscriptRow
from reasonloom.stores.memory.memories import NewMemory

FILE = UUID(int=7)
BEGIN = datetime(2026, 3, 1, 10, tzinfo=UTC)
MODEL = "by-hand"

Chunk = tuple[NewMemory, ChunkRow]


def chunk(
    key: str,
    said: str = "The berth is taken.",
    *,
    at: float = 0,
    session: str = "s1",
    agent: str | None = None,
    project: str = "harbour",
    vector: Sequence[float] = (1.0, 0.0),
) -> Chunk:
    """Return a chunk that began `at` hours after BEGIN."""
    when = BEGIN + timedelta(hours=at)
    memory = NewMemory(
        effect=uuid5(FILE, key),
        content=said,
        sector="episodic",
        event_type="episode",
        source_kind="transcript",
        principal="test",
        tool="history",
        salience=0.5,
        importance=0.5,
        decay_rate=0.0,
        token_count=5,
        created_at=when,
        valid_from=when,
        project=project,
        vectors=dict.fromkeys(SECTORS, vector),
        model=MODEL,
    )
    row = ChunkRow(
        key, FILE, project, session, agent, 1, 1, 0, when, when + timedelta(minutes=5), when, 5,
        continues=False,
    )  # fmt: skip
    return memory, row


def without_time(made: Chunk) -> Chunk:
    """Return a chunk whose transcript tells no time; `at` is when it was read."""
    memory, row = made
    return memory, replace(row, started_at=None, ended_at=None)


async def stored(tx: Transaction, *made: Chunk) -> list[int]:
    """Store chunks with the file and the projects that they are of; return their numbers."""
    await transcripts.make(tx, [TranscriptRow(FILE, "/talks/one.jsonl", "claude-code", "head")])
    for project in dict.fromkeys(row.project for _, row in made):
        slug = await projects.project_for(tx, f"/home/ana/{project}")
        assert slug == project
    return await chunks.add(tx, made)
