"""No saved step can name code: a crafted value is refused, and what it names is not called."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import ormsgpack
import psycopg
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Interrupt, Send

from reasonloom.contracts.caller import Caller
from reasonloom.errors import ReasonloomError
from reasonloom.graphs.runs.resume import find_run, resume_run
from reasonloom.stores.access import Access
from reasonloom.stores.backup.dump import back_up
from reasonloom.stores.backup.restore import restore
from reasonloom.stores.plain_msgpack import PlainSerializer
from tests.support.databases.dumps import DUMPS, open_on, when_made
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.unfinished import UNFINISHED
from tests.support.killing.victim import EMBEDDER, PaidLlm

VALUES: list[Any] = [
    {"text": "é", "number": 1.5, "none": None, "bytes": b"\0", "list": [1, [2]]},
    UUID(int=7), Decimal("1.50"), date(2026, 2, 3), datetime(2026, 2, 3, tzinfo=UTC),
    timedelta(days=1, seconds=2), {1, 2}, frozenset({3}), deque([1]),
    Send("explore", {"id": UUID(int=8)}), Interrupt(value={"question": "?"}, id="i"),
]  # fmt: skip


def crafted(marker: Path, code: int = 0) -> bytes:
    """Return a value that makes LangGraph's own serializer run a program."""
    command = f"touch {marker}"
    argument: Any = {0: command, 1: (command,), 2: {"command": command}}.get(code, command)

    def pack(_: object) -> ormsgpack.Ext:
        named = ("os", "system", argument, "system")
        return ormsgpack.Ext(code, ormsgpack.packb(named))

    return ormsgpack.packb({"deep": [object()]}, default=pack)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_what_runs_save_comes_back(value: Any) -> None:
    serializer = PlainSerializer()
    assert serializer.loads_typed(serializer.dumps_typed(value)) == value


@pytest.mark.parametrize("code", range(9))
def test_a_value_that_names_code_is_refused(tmp_path: Path, code: int) -> None:
    marker = tmp_path / "marker"
    with pytest.raises(ReasonloomError, match="saved step"):
        PlainSerializer().loads_typed(("msgpack", crafted(marker, code)))
    assert not marker.exists()


@pytest.mark.parametrize("kind", ["json", "pickle", "yaml", ""])
def test_other_kinds_are_refused(kind: str) -> None:
    named = {"lc": 2, "type": "constructor", "id": ["re", "compile"], "args": ["a"]}
    with pytest.raises(ReasonloomError, match="saved step"):
        PlainSerializer().loads_typed((kind, json.dumps(named).encode()))


def test_the_crafted_value_would_run_where_it_is_not_refused(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(("msgpack", crafted(marker)))
    assert marker.exists()


@pytest.mark.parametrize("table", ["checkpoint_blobs", "checkpoint_writes"])
async def test_a_crafted_backup_runs_nothing(
    postgres: TestPostgres, tmp_path: Path, table: str
) -> None:
    dump = sorted(DUMPS.glob("*.backup"))[-1]
    runs = json.loads(dump.with_suffix(".json").read_text())["unfinished"]
    marker, file = tmp_path / "marker", tmp_path / "crafted.backup"
    with postgres.empty() as name, postgres.empty() as other:
        await restore(postgres.access(name), dump, lambda *_: None)
        await asyncio.to_thread(poison, postgres.access(name), table, crafted(marker))
        await back_up(postgres.access(name), file, lambda *_: None)
        access = postgres.access(other)
        await restore(access, file, lambda *_: None)
        refused = 0
        async with open_on(access, EMBEDDER, PaidLlm(tmp_path / "book"), when_made) as engine:
            for scene in UNFINISHED:
                owner = Caller(f"half-way {scene.name}")
                try:
                    await resume_run(engine, owner, runs[scene.name])
                except ReasonloomError as error:
                    assert "saved step" in error.message
                    refused += 1
                    run = await find_run(engine, owner, runs[scene.name])
                    assert run.status != "done"
        assert refused
    assert not marker.exists()


def poison(access: Access, table: str, blob: bytes) -> None:
    """Replace every saved value of a table."""
    with psycopg.connect(access.admin, autocommit=True) as connection:
        connection.execute(f"ALTER TABLE reasonloom.{table} NO FORCE ROW LEVEL SECURITY")
        changed = connection.execute(
            f"UPDATE reasonloom.{table} SET type = 'msgpack', blob = %s", (blob,)
        )
        assert changed.rowcount > 0
        connection.execute(f"ALTER TABLE reasonloom.{table} FORCE ROW LEVEL SECURITY")
