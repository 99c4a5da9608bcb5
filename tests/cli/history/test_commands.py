"""`reasonloom history`, as a person types it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reasonloom.cli.app import app
from reasonloom.compose import open_engine
from reasonloom.settings import load_settings
from tests.cli.memory.test_commands import Run, run
from tests.support.databases.postgres import TestPostgres
from tests.support.history.conversations import CACHE, LOGIN, ask, tell
from tests.support.history.ingestion import stored
from tests.support.history.transcripts import Script, generated

__all__ = ["run"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two projects, a link that loops, a pipe, and three files that are no conversations."""
    home = tmp_path / "past"
    (home / "deep" / "er").mkdir(parents=True)
    (home / "one.jsonl").write_bytes(generated(6, seed=2).data())
    other = Script(session="ñandú-session", cwd="/srv/поиск")
    (home / "deep" / "er" / "two.jsonl").write_bytes(generated(3, seed=3, script=other).data())
    (home / "deep" / "loop").symlink_to(home)
    (home / "deep" / "wide.jsonl").write_bytes("Grüße".encode("utf-16"))
    (home / "empty.jsonl").touch()
    os.mkfifo(home / "pipe.jsonl")
    return home


def test_a_folder_is_ingested_once_and_told(run: Run, folder: Path) -> None:
    first = run("history", "ingest", "past", "nowhere.jsonl")
    assert first.returncode == 1
    assert "nowhere.jsonl: It cannot be read: No such file or directory" in first.stderr
    assert "past/deep/wide.jsonl: The file is UTF-16" in first.stderr
    assert str(folder) not in first.stderr and "Traceback" not in first.stderr
    told = figures(first.stdout)
    assert (told["files read"], told["refused"], told["turns"]) == ("2", "2", "9")
    assert (told["folders linked twice"], told["pipes, sockets, devices"]) == ("1", "1")
    again = figures(run("history", "ingest", "past/one.jsonl").stdout)
    assert (again["unchanged"], again["turns"], again["chunks new"]) == ("1", "0", "0")
    tried = run("history", "ingest", "--dry-run", "--again", "past/one.jsonl")
    assert "nothing is stored" in tried.stdout
    assert figures(tried.stdout)["chunks already stored"] == output_of(run, "api")["chunks"]
    assert "поиск" in run("history", "projects").stdout
    assert "ñandú-session" in run("history", "sessions", "поиск").stdout


def test_what_was_said_is_shown_and_found(run: Run, folder: Path) -> None:
    assert run("history", "ingest", "past/one.jsonl", "past/deep/er").returncode == 0
    shown = run("history", "show", "поиск", "--last")
    assert shown.returncode == 0 and "Please look at the" in shown.stdout
    for flags in ((), ("--recall",), ("--predict",)):
        found = run("history", "search", "Please look at src/auth/main.py", *flags)
        assert found.returncode == 0 and "mem-" in found.stdout, flags
    answer = json.loads(run("history", "search", "main.py", "--recall", "--json").stdout)
    if answer["chain"]:
        assert len(answer["reasons"]) == len(answer["chunks"]) - 1
        assert all(answer["reasons"])
    both = run("history", "search", "x", "--recall", "--predict")
    assert both.returncode == 2 and "not both" in both.stderr


def test_a_folder_without_transcripts_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    done = run("history", "ingest", "bare")
    assert done.returncode == 1
    assert "bare: The folder has no transcript (*.jsonl)" in done.stderr


def figures(drawn: str) -> dict[str, str]:
    """Return the rows of a drawn table of two columns."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in drawn.splitlines()]
    return {row[0]: row[1] for row in rows if len(row) == len(("name", "value"))}


def output_of(run: Run, project: str) -> dict[str, str]:
    """Return what `projects` tells of one."""
    listed = json.loads(run("history", "projects", "--json").stdout)["projects"]
    (found,) = [each for each in listed if each["project"] == project]
    return {name: str(value) for name, value in found.items()}


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


def history_command(*words: str, expect: int = 0) -> str:
    done = CliRunner().invoke(app, ["history", *words])
    assert done.exit_code == expect, done.output
    return done.output


def test_it_is_listed_brought_back_and_erased(url: str, tmp_path: Path) -> None:
    import asyncio

    assert "nothing forgotten can be restored" in history_command("undo")
    asyncio.run(forgotten(tmp_path / "t"))
    listed = history_command("undo")
    assert "session_id" in listed
    assert "[red]" in listed
    assert history_command("purge") == "erased permanently: 0 chunks\n"
    assert history_command("undo", "1") == "restored 1 chunk\n"
    assert asyncio.run(left()) == (2, 1)
    unknown = CliRunner().invoke(app, ["history", "undo", "7"])
    assert unknown.exit_code != 0
    assert "there are 2" in str(getattr(unknown.exception, "message", unknown.output))
    assert history_command("purge", "--now", "--yes") == "erased permanently: 1 chunk\n"
    assert asyncio.run(left()) == (1, 0)
    assert "nothing forgotten can be restored" in history_command("undo")
