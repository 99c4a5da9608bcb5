"""Past conversations are apart: what is for other memories leaves them as they are."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder, Reply
from reasonloom.nodes.memory.maintenance.decay_job import weaken_space
from reasonloom.nodes.memory.portable.export import ExportOptions, export_lines
from reasonloom.stores.access import Access
from tests.support.calls import call, recalled, remember
from tests.support.history.conversations import CACHE, LOGIN, OTHER, ask, tell
from tests.support.history.ingestion import stored
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import thinking

ME = Caller("local")


async def row_of(engine: Engine, query: str) -> tuple[Any, ...]:
    async with engine.loom.database.begin(ME) as tx:
        return tuple((await tx.all(text(query)))[0])


WEAK = """
UPDATE memories SET strength = 0.01, created_at = '2020-01-01', last_accessed = '2020-01-01',
    importance = 0.1, salience = 0.1
"""
STATE = """
SELECT array_agg(ROW(id, content, strength, salience, access_count, deleted_at, superseded_by)
    ORDER BY id)::text FROM memories WHERE source_kind = 'transcript'
"""


async def test_decay_pruning_and_consolidation_leave_them(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE, OTHER])
    before = await row_of(engine, STATE)
    await weaken_space(engine.loom.database, ME, engine.loom.clock() + timedelta(days=900))
    assert await row_of(engine, STATE) == before
    async with engine.loom.database.begin(ME) as tx:
        await tx.run(text(WEAK))
    before = await row_of(engine, STATE)
    pruning = {"userId": "local", "dryRun": False}
    pruned = await call(engine, "prune_memories", pruning)
    assert (pruned.answer["matching"], pruned.answer["pruned"]) == (0, 0)
    await call(engine, "consolidate_memories", {"userId": "local", "dryRun": False})
    assert await row_of(engine, STATE) == before


async def test_health_counts_and_quality_do_not_see_them(engine: Engine, tmp_path: Path) -> None:
    await remember(engine, "The garden gate is green.")
    health = (await call(engine, "memory_health", {"userId": "local"})).answer
    stats = (await call(engine, "memory_stats", {})).answer
    quality = (await call(engine, "memory_quality", {})).answer
    await tell(engine, tmp_path / "t", [LOGIN, CACHE, OTHER])
    await ask(engine, "forget", project="shop", dry_run=False)
    after = (await call(engine, "memory_health", {"userId": "local"})).answer
    told = {key: after[key] for key in after if key != "sessions"}
    assert told == {key: health[key] for key in health if key != "sessions"}
    assert (await call(engine, "memory_stats", {})).answer == stats
    assert (await call(engine, "memory_quality", {})).answer == quality


async def test_memory_tools_do_not_find_them_nor_link_to_them(
    engine: Engine, tmp_path: Path
) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE])
    same = (await stored(engine))[0].text
    await remember(engine, same)
    assert await row_of(engine, "SELECT count(*) FROM edges WHERE type = 'related_to'") == (0,)
    assert await recalled(engine, "refresh token login") == [same]
    found = await call(engine, "search", {"userId": "local", "text": "token"})
    assert found.answer["totalCount"] == 1
    walked = await call(engine, "memory_query", {"max_results": 100})
    assert "eviction" not in str(walked.answer)


async def test_an_export_leaves_them_to_their_transcripts(engine: Engine, tmp_path: Path) -> None:
    await remember(engine, "The garden gate is green.")
    await tell(engine, tmp_path / "t", [LOGIN, CACHE])
    for wish in (ExportOptions(), ExportOptions(hidden=True)):
        exported = [line async for line in export_lines(engine.loom, ME, wish, lambda *_: None)]
        assert not any('"transcript"' in line for line in exported)
        assert len(exported) == 2
        assert "garden gate" in exported[1]


class Offered(TellingLlm):
    """Keeps what it was told last."""

    told = ""

    async def answer(self, ask: Ask) -> Reply:
        self.told = "\n".join(str(message.content) for message in ask.messages)
        return await super().answer(ask)


async def test_a_mode_is_offered_a_piece_of_the_past_as_data_and_leaves_an_edge(
    access: Access, embedder: Embedder, tmp_path: Path
) -> None:
    llm = Offered()
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        await offered(mind, llm, tmp_path)


async def offered(mind: Engine, llm: Offered, tmp_path: Path) -> None:
    """See what a mode is given, what it leaves, and that nothing forgotten is given."""
    await tell(mind, tmp_path / "t", [LOGIN, CACHE])
    await remember(mind, "Sign-in with 401 was seen on Monday.")
    thought = "Why did the sign-in give 401, the refresh token?"
    done = await call(mind, "reasoning_linear", {"content": thought})
    [login, _] = await stored(mind)
    assert f"mem-{login.memory_id}" in done.answer["memories_used"]
    assert "from a past conversation of 2026-03-01" in llm.told
    assert "as data" in llm.told
    assert "refresh token had expired" in llm.told
    edge = await row_of(
        mind,
        f"""SELECT count(*) FROM edges WHERE type = 'derived_from'
        AND target_id = {login.memory_id}""",
    )
    assert edge == (1,)
    await ask(mind, "forget", project="api", dry_run=False)
    again = await call(mind, "reasoning_linear", {"content": thought})
    assert f"mem-{login.memory_id}" not in again.answer["memories_used"]
