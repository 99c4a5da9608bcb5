"""What the page on scaling counts: connections of a process, bytes of a run, keys by owner."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import psycopg
import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.support.calls import remember
from tests.support.docs.pages import DOCS
from tests.support.llms.scripted_replies import ReadyLlm
from tests.support.memory.graph import query
from tests.support.reasoning.sessions import answered, thinking

PAGE = (DOCS / "scaling.md").read_text(encoding="utf-8")
STEPS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
RUNS = ("runs", "llm_calls", "thoughts", "branches", "sessions")
TOLERANCE = 0.25
"""By how much a figure of the page may be off: rows differ by ids, times and floats alone."""

OWN = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> %s
    AND application_name <> 'emptier of databases'
"""
KEYS = """
SELECT c.relname, (SELECT a.attname FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum = x.indkey[0])
FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid
WHERE c.relnamespace = 'reasonloom'::regnamespace AND x.indisunique AND c.relname = ANY(%s)
"""
TRIGGERS = """
SELECT t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'reasonloom'::regnamespace AND NOT t.tgisinternal
"""


def page_number(pattern: str) -> int:
    """Return a number of the page."""
    found = re.search(pattern, PAGE)
    assert found, pattern
    return int(found[1].replace(",", ""))


def size(access: Access, tables: tuple[str, ...]) -> int:
    """Return the bytes of all rows of some tables, without their indexes."""
    return sum(
        int(query(access, f"SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM {table} t")[0][0])
        for table in tables
    )


async def most_connections(access: Access, work: asyncio.Task[Any]) -> int:
    """Return how many connections there are at most, while something is done."""
    most = 0
    async with await psycopg.AsyncConnection.connect(access.admin, autocommit=True) as connection:
        while not work.done():
            row = await (await connection.execute(OWN, (connection.info.backend_pid,))).fetchone()
            most = max(most, row[0] if row else 0)
            await asyncio.sleep(0.01)
    return most


async def test_a_process_has_the_connections_of_the_page(
    access: Access, embedder: Embedder
) -> None:
    own, steps = (
        page_number(r"(\d) connections and (?:\d) for saved"),
        page_number(r"and (\d) for saved steps"),
    )
    assert load_settings().database_connections == own
    async with thinking(access, embedder, ReadyLlm(), auto_memory=True) as engine:
        asked = [answered(engine, "linear", content=f"Who is number {n}?") for n in range(24)]
        work = asyncio.ensure_future(asyncio.gather(*asked))
        assert await most_connections(access, work) == own + steps
        await work


@pytest.mark.parametrize(
    ("mode", "request_"), [("linear", {}), ("tree", {"max_branches": 4})], ids=["linear", "tree"]
)
async def test_a_run_leaves_what_the_page_says(
    access: Access, embedder: Embedder, mode: str, request_: dict[str, Any]
) -> None:
    async with thinking(access, embedder, ReadyLlm()) as engine:
        await answered(engine, mode, content="Where shall we eat with Anna?", **request_)
    row = re.search(rf"\| `reasoning_{mode}`.*?\| ([\d,]+) \| ([\d,]+) \|", PAGE)
    assert row
    for tables, figure in zip((STEPS, RUNS), row.groups(), strict=True):
        said = int(figure.replace(",", ""))
        assert size(access, tables) == pytest.approx(said, rel=TOLERANCE), (mode, tables)


async def test_a_call_that_asks_no_language_model_leaves_no_saved_steps(
    access: Access, engine: Engine
) -> None:
    await remember(engine, "Anna is allergic to peanuts.")
    assert size(access, STEPS) == 0


def test_saved_steps_can_be_distributed_by_their_thread(access: Access) -> None:
    keys = query(access, KEYS, list(STEPS))
    assert {table for table, _ in keys} == set(STEPS)
    assert {column for _, column in keys} == {"thread_id"}


def test_the_triggers_of_the_page_are_all(access: Access) -> None:
    names = [row[0] for row in query(access, TRIGGERS)]
    assert len(names) == page_number(r"(\d+) triggers")
    assert [name for name in names if f"`{name}`" not in PAGE] == []
