"""Texts that mean something to SQL, psql or COPY go through a backup as texts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.backup.dump import back_up
from reasonloom.stores.backup.restore import restore
from tests.stores.backup.test_backup import unheard
from tests.support.calls import call, recalled, remember
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import rows_of, schema_of

TEXTS = (
    "'; DROP TABLE reasonloom.memories; --",
    "$$; DROP SCHEMA reasonloom CASCADE; $$",
    "$body$ SELECT pg_sleep(9) $body$ LANGUAGE sql;",
    "\\copy memories from program 'touch /tmp/x'",
    "\\.\nDROP TABLE reasonloom.runs;\n\\! touch x",
    "COPY memories TO PROGRAM 'touch x';",
    "\\N", "\\\\N", "a\tb\\tc\r\nd", "\\x00ff", "{\"a\": \"b'c\"}", "{1,2}", "NULL", '"";\'\'',
    "E'\\'' || (SELECT owner FROM owners) || '", "/* -- */ $1 :owner %s %(owner)s",
)  # fmt: skip
OWNER = "o'Hara\"; DROP ROLE reasonloom_app; --"


@pytest.fixture
def other(postgres: TestPostgres) -> Iterator[Access]:
    """The ways into a database that is empty."""
    with postgres.clone() as name:
        yield postgres.access(name)


async def test_a_restore_leaves_texts_as_texts(
    settings: Settings, access: Access, other: Access, embedder: Embedder, tmp_path: Path
) -> None:
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as engine:
        for text in TEXTS:
            metadata = {"tags": [text[:200]], "category": text[:200], "context": text}
            await remember(engine, text, owner=OWNER, sessionId=text[:200], metadata=metadata)
        await call(engine, "reasoning_linear", {"content": TEXTS[0]}, owner=OWNER, key=TEXTS[1])
    file = tmp_path / "f"
    await back_up(access, file, unheard)
    await restore(other, file, unheard)
    assert await asyncio.to_thread(rows_of, other.admin) == rows_of(access.admin)
    assert schema_of(other.admin) == schema_of(access.admin)
    with psycopg.connect(other.admin) as connection:
        found = connection.execute("SELECT content FROM memories ORDER BY id").fetchall()
        assert [content for (content,) in found][: len(TEXTS)] == list(TEXTS)
        owners = connection.execute("SELECT owner FROM owners").fetchall()
        assert owners == [(OWNER,)]
    async with open_engine(settings, access=other, embedder=embedder, recover=False) as engine:
        assert TEXTS[0] in await recalled(engine, TEXTS[0], owner=OWNER)
