"""`reasonloom memory decay` as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psycopg

from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres

NOTED = "UPDATE memories SET last_accessed = now() - interval '10 days', importance = 0"
STRENGTHS = "SELECT round(avg(strength)::numeric, 4)::text FROM memories WHERE space = %s"


def test_it_foretells_then_does_and_says_how_much(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    url = postgres.address.dsn("postgres", database)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "reasonloom", *arguments],
            env=environment(tmp_path / "home", DATABASE_URL=url),
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        return done.stdout

    def strength(space: str) -> str:
        with psycopg.connect(url, options="-c search_path=reasonloom,public") as connection:
            row = connection.execute(STRENGTHS, (space,)).fetchone()
        assert row
        return str(row[0])

    assert run("memory", "decay") == "memories weakened: 0\n"
    for user in ("local", "guest"):
        memory = {"content": "Tea.", "userId": user, "sessionId": "s", "primarySector": "episodic"}
        run("call", "remember", json.dumps(memory))
    with psycopg.connect(url, options="-c search_path=reasonloom,public") as connection:
        connection.execute(NOTED)
    mean = "mean strength 1.0000 before, 0.7408 after\n"  # exp(-0.03 * 10)
    assert run("memory", "decay", "--dry-run") == "memories that would be weakened: 2\n" + mean
    assert (strength(""), strength("guest")) == ("1.0000", "1.0000")
    assert run("memory", "decay", "--user", "guest") == "memories weakened: 1\n" + mean
    assert (strength(""), strength("guest")) == ("1.0000", "0.7408")
    said = run("memory", "decay")
    assert said.startswith("memories weakened: 2\n")  # guest's by what a moment takes
    assert (strength(""), strength("guest")) == ("0.7408", "0.7408")
    assert run("memory", "decay", "--user", "nobody") == "memories weakened: 0\n"
