"""The page of operations tells of commands, metrics and limits that are there; its blocks run."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from pathlib import Path

from typer.main import get_command

from reasonloom.cli.app import app
from reasonloom.server.engine_lifespan import AFTER_SIGNAL
from reasonloom.server.http.serving import GRACEFUL_SECONDS
from reasonloom.stores.access import IDLE_SECONDS, LOCK_SECONDS, STATEMENT_SECONDS
from reasonloom.telemetry.metrics import INSTRUMENTS
from tests import ROOT
from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"(?:^|`|4318 )reasonloom ([a-z]+)(?: ([a-z]+))?", re.M)
METRIC = re.compile(r"^\| `((?:reasonloom|mcp|gen_ai|db)\.[a-z._]+)` \|", re.M)


def test_every_command_on_the_page_is_there() -> None:
    top = get_command(app).commands  # type: ignore[attr-defined]
    told = COMMAND.findall(PAGE)
    assert {"backup", "restore", "db", "runs", "serve", "doctor"} <= {first for first, _ in told}
    for first, second in told:
        assert first in top, first
        if second and hasattr(top[first], "commands"):
            assert second in top[first].commands, (first, second)


def test_every_metric_on_the_page_is_made_and_no_other() -> None:
    assert sorted(METRIC.findall(PAGE)) == sorted(INSTRUMENTS)


def test_the_limits_on_the_page_are_the_limits() -> None:
    assert f"`REASONLOOM_STATEMENT_SECONDS` ({STATEMENT_SECONDS:g})" in PAGE
    assert f"| a wait for a lock | {LOCK_SECONDS} |" in PAGE
    assert f"| a transaction that lies idle | {IDLE_SECONDS} |" in PAGE
    assert (GRACEFUL_SECONDS, AFTER_SIGNAL) == (2, 5.0)
    assert "have two seconds" in PAGE
    assert "within five" in PAGE


def test_the_line_of_a_log_on_the_page_is_one() -> None:
    (block,) = re.findall(r"```json\n(.*?)\n```", PAGE, re.S)
    assert set(json.loads(block)) == {"time", "level", "logger", "message", "tool", "run"}


def test_a_database_is_backed_up_and_restored_as_the_page_says(
    postgres: TestPostgres, tmp_path: Path
) -> None:
    (block,) = re.findall(r"## Backup and restore\n\n```sh\n(.*?)\n```", PAGE, re.S)
    first, second = (line.split()[1:] for line in block.splitlines())
    with postgres.clone() as name:
        said = [
            subprocess.run(
                [*program(), *arguments],
                env=environment(tmp_path, DATABASE_URL=postgres.address.dsn("postgres", name)),
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            for arguments in (first, second)
        ]
    assert [each.returncode for each in said] == [0, 0], [each.stderr for each in said]
    assert stat.S_IMODE((tmp_path / "loom.backup").stat().st_mode) == 0o600
    assert "rows" in said[0].stdout
    assert said[1].stdout.startswith("restored ")
