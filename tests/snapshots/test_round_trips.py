"""How often each tool waits for Postgres, counted on the wire: a change of it must show in review.

One owner makes every call once, so that statements are prepared; the calls of a second one count,
from the request to the answer. Replies of the language model are drawn from their schemas.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder, Reply, Usage
from reasonloom.settings import Settings
from reasonloom.stores.access import SCHEMA, Access
from reasonloom.stores.migrations.rls import APP_ROLE
from tests.support.calls import call
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.wire_protocol import NAMES
from tests.support.isolation.owners import settle
from tests.support.isolation.tool_calls import USES, Known, value_at
from tests.support.killing.guillotine import Guillotine, guillotine
from tests.support.llms.drawn_replies import drawn_reply

TOPICS = ("dog", "kitchen")
LEASE = 600.0
"""Seconds: longer than the test, so that no lease is renewed meanwhile."""


class TextFile(SingleFileSnapshotExtension):
    """One readable file for the table."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


class DrawnLlm:
    """Answers each question by its schema; a reply looks something up where its schema can."""

    name = "drawn"
    offline = False

    def __init__(self, *, looks_up: bool = True) -> None:
        self._looks_up = looks_up

    async def answer(self, ask: Ask) -> Reply:
        """Return a reply drawn from the question's texts."""
        text = "\n".join(str(each.content) for each in ask.messages)
        parsed = drawn_reply(text, ask.schema)
        if not self._looks_up:
            parsed = {**parsed, "lookup": []}
        return Reply(str(parsed), parsed, "drawn-1", Usage(10, 5, 0.0))

    async def close(self) -> None:
        """Do nothing."""


async def counted(engine: Engine, blade: Guillotine, known: Known) -> dict[str, Counter[str]]:
    """Make every call; return each tool's round trips by name."""
    found = {}
    for tool, use in USES.items():
        arguments = use.arguments(known)
        await engine.journal.flush()
        blade.reached.clear()
        outcome = await call(engine, tool, arguments, owner=known.user)
        found[tool] = Counter(blade.reached)
        for kind, path in use.tells.items():
            known.ids[kind] = value_at(outcome.answer, path.removeprefix("data."))
    return found


def stop_writing_behind() -> None:
    """Stop what writes the journal in the background, now in one call and now in another."""
    for task in asyncio.all_tasks():
        if getattr(task.get_coro(), "__qualname__", "") == "WriteBehind.run":
            task.cancel()


def table(found: Mapping[str, Counter[str]]) -> str:
    """Return a line for each tool: all its round trips, then those of each name."""
    head: list[tuple[object, ...]] = [("tool", "all", *NAMES)]
    rows = head + [
        (tool, each.total(), *(each[name] or "" for name in NAMES)) for tool, each in found.items()
    ]
    width = max(map(len, found))
    return "\n".join(
        f"{row[0]:{width}}" + "".join(f"{cell:>16}" for cell in row[1:]) for row in rows
    )


@pytest.fixture
def snapshot_text(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TextFile)


@dataclass(frozen=True)
class Bench:
    """A database with a wire that is watched, and the owners of calls: the first warms up."""

    postgres: TestPostgres
    database: str
    access: Access
    embedder: Embedder
    files: Path
    owners: list[Known]

    @asynccontextmanager
    async def open(self, llm: DrawnLlm) -> AsyncIterator[tuple[Engine, Guillotine]]:
        """Yield an engine, and what counts its round trips."""
        settings = Settings(lease_seconds=LEASE, decay_hours=0, files=self.files)
        async with guillotine(self.postgres.address) as blade:
            options = f"-c search_path={SCHEMA},public"
            app = blade.conninfo(APP_ROLE, self.database, options)
            async with open_engine(
                settings,
                access=replace(self.access, app=app),
                llm=llm,
                embedder=self.embedder,
                recover=False,
            ) as engine:
                stop_writing_behind()
                yield engine, blade


@pytest.fixture
async def bench(
    postgres: TestPostgres, database: str, access: Access, embedder: Embedder, tmp_path: Path
) -> Bench:
    url = postgres.address.dsn("postgres", database)
    owners = [Known("warm", "first words"), Known("anna", "other words")]
    for known in owners:
        await asyncio.to_thread(settle, url, tmp_path, known, TOPICS, embedder)
    (tmp_path / "common.jsonl").write_text('{"content": "The amber lantern hangs."}\n')
    return Bench(postgres, database, access, embedder, tmp_path, owners)


async def test_the_round_trips_of_every_tool(
    bench: Bench, snapshot_text: SnapshotAssertion
) -> None:
    async with bench.open(DrawnLlm()) as (engine, blade):
        _, found = [await counted(engine, blade, known) for known in bench.owners]
    assert set(found) == set(USES)
    assert table(found) == snapshot_text


async def test_a_linear_step_with_one_model_call_makes_at_most_14(bench: Bench) -> None:
    async with bench.open(DrawnLlm(looks_up=False)) as (engine, blade):
        for known in bench.owners:
            arguments = USES["reasoning_linear"].arguments(known)
            await engine.journal.flush()
            blade.reached.clear()
            await call(engine, "reasoning_linear", arguments, owner=known.user)
    assert 0 < len(blade.reached) <= 14
