"""`reasonloom memory cluster` and `memory basins` as a person types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.memory.clusters import about


def test_it_shows_then_forms_and_lists(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    url = postgres.address.dsn("postgres", database)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "reasonloom", *arguments],
            env=environment(tmp_path / "home", DATABASE_URL=url, COLUMNS="200"),
            cwd=tmp_path, capture_output=True, text=True, timeout=150, check=True,
        )  # fmt: skip
        return done.stdout

    assert "0 memories make no cluster" in run("memory", "cluster")
    assert "there are no clusters yet" in run("memory", "basins")
    lines = [
        {"content": said, "primarySector": "semantic"}
        for topic in ("dog", "собака", "database")
        for said in about(topic)
    ]
    for place in range(0, len(lines), 100):
        given = {"userId": "local", "sessionId": "s", "memories": lines[place : place + 100]}
        run("call", "batch_remember", json.dumps(given))
    shown = run("memory", "cluster", "--dry-run")
    assert "would hold" in shown and "dog" in shown and "собака" in shown and "new" in shown
    assert "there are no clusters yet" in run("memory", "basins")
    assert "hold 21 of 21 memories; 0 belong to none" in run("memory", "cluster")
    told = run("memory", "basins", "--relations")
    assert "собака" in told and "active" in told and "relation" in told
