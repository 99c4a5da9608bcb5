"""Postgres is restarted under load: nothing acknowledged is lost, nothing is stored twice."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.stores.embedded.postmaster import Address
from reasonloom.stores.embedded.server import EmbeddedServer
from tests.support.clients.processes import PATIENCE, environment, web
from tests.support.databases.postgres import no_other_orphans
from tests.support.isolation.owners import Bearer, token_for

CLIENTS = 4
RESTARTS = (signal.SIGINT, signal.SIGQUIT, signal.SIGINT)
"""How postmasters are ended: fast, and at once without a last checkpoint."""

BETWEEN = 1.5
STORED = "SELECT content, count(*) FROM reasonloom.memories GROUP BY content"
LEFT = "SELECT (SELECT count(*) FROM reasonloom.leases), count(*) FROM reasonloom.runs \
WHERE status = 'running'"


@pytest.fixture
def own() -> Iterator[tuple[EmbeddedServer, Address]]:
    """A server of this test alone, whose commits wait for the disk."""
    with tempfile.TemporaryDirectory(prefix="rl") as folder, no_other_orphans():
        Path(folder).chmod(0o755)
        server = EmbeddedServer(Path(folder) / "pg")
        try:
            yield server, server.ensure()
        finally:
            server.stop()


def memory(content: str) -> dict[str, Any]:
    return {"content": content, "userId": "anna", "sessionId": "s", "primarySector": "semantic"}


class Client:
    """Remembers and recalls until it is told to stop; keeps what was acknowledged."""

    def __init__(self, bearer: Bearer, name: str) -> None:
        self._bearer = bearer
        self._name = name
        self.acknowledged: dict[str, str] = {}
        self.faults: list[dict[str, Any]] = []

    def work(self, stop: threading.Event) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            self._remember(f"The {self._name} of day {number} was blue.", stop)
            found = self._bearer.call("recall", {"userId": "anna", "text": "blue day"})
            self._note(found)

    def _remember(self, content: str, stop: threading.Event) -> None:
        """Send one call with its key until it succeeds, as agents do."""
        while True:
            answer = self._bearer.call("remember", memory(content), key=content)
            if not self._note(answer):
                self.acknowledged[content] = answer["structuredContent"]["data"]["memoryId"]
                return
            if stop.is_set():
                return
            time.sleep(0.1)

    def _note(self, answer: dict[str, Any]) -> bool:
        if answer["isError"]:
            self.faults.append(answer["structuredContent"])
        return bool(answer["isError"])


def restart(server: EmbeddedServer, how: signal.Signals) -> None:
    pid = server.status().pid
    assert pid
    os.kill(pid, how)
    until = time.monotonic() + PATIENCE
    while server.status().pid == pid:
        assert time.monotonic() < until
        time.sleep(0.02)
    server.ensure()


@pytest.mark.timeout(300)
def test_what_was_acknowledged_is_there_once_after_restarts(
    own: tuple[EmbeddedServer, Address], tmp_path: Path, folder: Path
) -> None:
    server, address = own
    with psycopg.connect(address.dsn("postgres", "postgres"), autocommit=True) as boss:
        boss.execute("CREATE DATABASE restarted TEMPLATE template0 ENCODING 'UTF8'")
    url, tokens = address.dsn("postgres", "restarted"), tmp_path / "tokens"
    token = token_for(tokens, "anna")
    env = environment(
        tmp_path / "home", DATABASE_URL=url, REASONLOOM_TOKENS=str(tokens), LOG_LEVEL="debug",
        REASONLOOM_CALLER_REQUESTS_PER_MINUTE="100000",
    )  # fmt: skip
    with web(env, folder) as site:
        Bearer(site, token).call("recall", {"userId": "anna"})
        clients = [Client(Bearer(site, token), name) for name in ("sea", "sky", "ink", "jay")]
        stop = threading.Event()
        with ThreadPoolExecutor(CLIENTS) as pool:
            begun = [pool.submit(each.work, stop) for each in clients]
            for how in RESTARTS:
                time.sleep(BETWEEN)
                restart(server, how)
            time.sleep(BETWEEN)
            stop.set()
            for each in begun:
                each.result(2 * PATIENCE)
        acknowledged = {key: value for each in clients for key, value in each.acknowledged.items()}
        last = Bearer(site, token).call("recall", {"userId": "anna", "text": "blue day"})
        assert last["isError"] is False
        assert last["structuredContent"]["data"]["memories"]
        assert "Traceback" not in site.log
    faults = [fault for each in clients for fault in each.faults]
    assert faults, "no call met a restart"
    assert all(fault["retryable"] is True for fault in faults), faults
    with psycopg.connect(url) as connection:
        stored: dict[str, int] = dict(connection.execute(STORED).fetchall())
        assert connection.execute(LEFT).fetchone() == (0, 0)
    assert set(acknowledged) <= set(stored)
    assert set(stored.values()) == {1}
    assert len(set(acknowledged.values())) == len(acknowledged) >= 3 * CLIENTS
