"""`reasonloom history undo` and `purge`: what was forgotten is listed, brought back, erased."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from reasonloom.cli.app import app
from reasonloom.compose import open_engine
from reasonloom.settings import load_settings
from tests.support.databases.postgres import TestPostgres
from tests.support.history.conversations import CACHE, LOGIN, ask, tell
from tests.support.history.ingestion import stored


@pytest.fixture
def url(postgres: TestPostgres, database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    url = postgres.address.dsn("postgres", database)
    monkeypatch.setenv("DATABASE_URL", url)
    return url


async def forgotten(folder: Path) -> None:
    async with open_engine(load_settings(), recover=False) as engine:
        await tell(engine, folder, [LOGIN, CACHE])
        await ask(engine, "forget", project="api", session_id="aaaa", dry_run=False)
        await ask(engine, "forget", project="api", query="кэш [red]", threshold=0, dry_run=False)


async def left() -> tuple[int, int]:
    """Return how many chunks there are, and how many of them are hidden."""
    async with open_engine(load_settings(), recover=False) as engine:
        chunks = await stored(engine)
        return len(chunks), sum(chunk.hidden for chunk in chunks)


def run(*words: str, expect: int = 0) -> str:
    done = CliRunner().invoke(app, ["history", *words])
    assert done.exit_code == expect, done.output
    return done.output


def test_it_is_listed_brought_back_and_erased(url: str, tmp_path: Path) -> None:
    import asyncio

    assert "nothing was forgotten" in run("undo")
    asyncio.run(forgotten(tmp_path / "t"))
    listed = run("undo")
    assert "session_id" in listed
    assert "[red]" in listed
    assert run("purge") == "erased for good: 0 chunks\n"
    assert run("undo", "1") == "brought back: 1 chunk\n"
    assert asyncio.run(left()) == (2, 1)
    unknown = CliRunner().invoke(app, ["history", "undo", "7"])
    assert unknown.exit_code != 0
    assert "there are 2" in str(getattr(unknown.exception, "message", unknown.output))
    assert run("purge", "--now", "--yes") == "erased for good: 1 chunk\n"
    assert asyncio.run(left()) == (1, 0)
    assert "nothing was forgotten" in run("undo")
