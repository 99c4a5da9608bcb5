"""A backup or a restore that is ended halfway leaves nothing half-made."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from reasonloom.stores.backup.restore import restore
from tests.support.clients.fork_server import cold_program
from tests.support.clients.processes import environment
from tests.support.databases.dumps import DUMPS
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import rows_of

(DUMP,) = DUMPS.glob("0.1.0-0013.backup")
WAITS = """
SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
WHERE d.datname = current_database() AND NOT l.granted
"""


@pytest.fixture
def url(postgres: TestPostgres) -> Iterator[str]:
    """The URL of a database that holds what the dump holds."""
    with postgres.clone() as name:
        asyncio.run(restore(postgres.access(name), DUMP, lambda *_: None))
        yield postgres.address.dsn("postgres", name)


def heed_interrupts() -> None:
    """Undo what a shell does to what it runs in the background: it is deaf to SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("arguments", [("backup", "new"), ("restore", "--yes", str(DUMP))])
def test_who_is_asked_to_end_leaves_all_as_it_was(
    arguments: tuple[str, ...], sent: signal.Signals, url: str, tmp_path: Path
) -> None:
    (folder := tmp_path / "cwd").mkdir()
    path = "-c search_path=reasonloom,public"
    with (
        psycopg.connect(url, options=path) as holder,
        psycopg.connect(url, autocommit=True) as watch,
    ):
        holder.execute("UPDATE memories SET content = 'new'")
        holder.commit()
        before = rows_of(url)
        holder.execute("LOCK TABLE thoughts IN ACCESS EXCLUSIVE MODE")
        child = subprocess.Popen(
            [*cold_program(), *arguments], cwd=folder,
            env=environment(tmp_path, DATABASE_URL=url), stderr=subprocess.PIPE, text=True,
            preexec_fn=heed_interrupts,  # noqa: PLW1509 - no thread of ours is at work
        )  # fmt: skip
        until = time.monotonic() + 20
        while watch.execute(WAITS.encode()).fetchone() == (0,):
            assert time.monotonic() < until, "nobody waits"
            time.sleep(0.05)
        child.send_signal(sent)
        time.sleep(0.3)  # until it has heard
        holder.rollback()
        said = child.communicate(timeout=30)[1]
    assert child.returncode == 128 + sent
    assert "Traceback" not in said
    assert list(folder.iterdir()) == []
    assert rows_of(url) == before
