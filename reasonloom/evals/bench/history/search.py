"""Times the history tools on the engine, and `recall` with and without a history."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid5

import numpy as np

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.evals.bench.environment import BenchEngine, execute
from reasonloom.evals.bench.load import NAMESPACE, load, questions, seed_of
from reasonloom.evals.bench.memory import SETTLE
from reasonloom.evals.bench.timing import Figure, Work, summarise, time_alternately, time_repeatedly
from reasonloom.evals.suites.history.transcript import Prose
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.database import Database
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
from reasonloom.stores.vector_indexes import maintain

BATCH = 500
CHUNKS, SESSIONS = 50, 40
"""Chunks of a session, and sessions of a project."""

CHARACTERS = (900, 3_600)
"""Characters of a chunk: 200 to 800 tokens."""

PART = 500
"""Characters of one speaker's part."""

PER_TOKEN = 4.5


def chunk_texts(owner: str) -> Iterator[str]:
    """Yield the texts of an owner's chunks, a topic per session, the same at each run."""
    dice = np.random.default_rng(seed_of(owner))
    prose = Prose(dice)
    for number in itertools.count():
        if number % CHUNKS == 0:
            prose.turn_to(number // CHUNKS)
        length = int(dice.integers(*CHARACTERS))
        parts = [prose.text(PART) for _ in range(max(1, length // PART))]
        marks = itertools.cycle(("[User]", "[Assistant]"))
        yield "\n".join(f"{mark}\n{part}" for mark, part in zip(marks, parts, strict=False))


def chunk_queries(owner: str, size: int) -> Iterator[str]:
    """Yield questions of six to twelve words, each on another topic of the first `size` texts.

    Each question thus finds other chunks than those before it, until every topic has been used.
    """
    dice = np.random.default_rng(seed_of(owner) + 1)
    prose = Prose(np.random.default_rng(seed_of(owner)))  # the words of `chunk_texts`
    topics = max(1, size // CHUNKS)
    for topic in itertools.cycle(dice.permutation(topics).tolist()):
        prose.turn_to(topic)
        words = prose.text(200).split()[: int(dice.integers(6, 13))]
        yield " ".join(words) + "?"


async def load_chunks(database: Database, embedder: Embedder, owner: str, size: int) -> None:
    """Store `size` chunks of `owner` with vectors and sequence edges, one batch per transaction."""
    transcript = uuid5(NAMESPACE, f"{owner}/transcript")
    caller = Caller(owner)
    async with database.begin(caller) as tx:
        row = TranscriptRow(transcript, f"/{owner}.jsonl", "claude-code")
        await transcripts.make(tx, [row])
    made = itertools.islice(enumerate(chunk_texts(owner)), size)
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
        valid_from=at,
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


MEMORIES = 1_000
"""Memories next to the chunks."""

SLOWDOWN = 1.2
"""The goal of `recall` with a history, as a multiple of its time without one."""

WALKED = 2.0
"""The goal of `history_recall`, as a multiple of a search."""

PROJECT = "project-0"
WITHOUT_HISTORY = "without-a-past"
LISTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("history_list_projects", {}),
    ("history_list_sessions", {"project": PROJECT}),
    ("history_stats", {}),
    ("history_reconstruct", {"project": PROJECT}),
)


async def measure(ground: BenchEngine, times: int, sizes: Sequence[int]) -> list[Figure]:
    """Fill one database for owners of all sizes, then time every tool, before and after upkeep."""
    await load(ground.database, ground.embedder, WITHOUT_HISTORY, MEMORIES)
    for size in sizes:
        await load(ground.database, ground.embedder, _owner(size), MEMORIES)
        await load_chunks(ground.database, ground.embedder, _owner(size), size)
    await execute(ground.access, f"{SETTLE}, chunks, projects")
    figures = [await _search(ground, size, times, "before db maintain") for size in sizes]
    await maintain(ground.access)
    for size in sizes:
        figures.append(await _search(ground, size, times, "after db maintain"))
        figures.append(await _search(ground, size, times, "one project", project=PROJECT))
        figures += [await _list(ground, size, times, tool, given) for tool, given in LISTS]
        figures.append(await _walk(ground, size, times))
        figures.append(await _recall(ground, size, times))
    return figures


def _owner(size: int) -> str:
    return f"past-of-{size}"


async def _search(ground: BenchEngine, size: int, times: int, how: str, **more: Any) -> Figure:
    owner, texts = _owner(size), chunk_queries(_owner(size), size)
    taken = await time_repeatedly(
        lambda: ground.call("history_search", owner=owner, query=next(texts), **more), times
    )
    return summarise(f"history search, {size:,} chunks, {how}", taken)


async def _walk(ground: BenchEngine, size: int, times: int) -> Figure:
    """Time `history_recall` and `history_search` alternately, each with different questions."""
    owner, texts = _owner(size), chunk_queries(_owner(size), size)
    below, own = await time_alternately(
        lambda: ground.call("history_search", owner=owner, query=next(texts)),
        lambda: ground.call("history_recall", owner=owner, query=next(texts)),
        times,
    )
    name = f"history recall, {size:,} chunks"
    return summarise(name, own, below, WALKED, "floor: history_search")


async def _list(
    ground: BenchEngine, size: int, times: int, tool: str, given: dict[str, Any]
) -> Figure:
    work = partial(ground.call, tool, owner=_owner(size), **given)
    return summarise(f"{tool}, {size:,} chunks", await time_repeatedly(work, times))


async def _recall(ground: BenchEngine, size: int, times: int) -> Figure:
    """Time `recall` of equally many memories without and with a history, alternately."""

    def recalling(owner: str) -> Work:
        texts = questions(seed_of(owner), MEMORIES)
        return lambda: ground.call("recall", owner=owner, userId=owner, text=next(texts), limit=10)

    below, own = await time_alternately(recalling(WITHOUT_HISTORY), recalling(_owner(size)), times)
    name = f"recall of {MEMORIES:,} memories next to {size:,} chunks"
    return summarise(name, own, below, SLOWDOWN, "floor: the same without a past")
