"""`reasonloom eval run FILE` on a tool, killed while it judges an item, comes to the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.evals.log import EvalLog
from tests.support.clients.processes import PATIENCE, environment
from tests.support.databases.postgres import TestPostgres

ITEMS = 3
SUITE = """
import os, signal
from reasonloom.evals import Checker, Item, Suite, Tool

ASKED = ["Which way, été or hiver?", "Куда? 🙂", "どちら?"]
judged = []

def told(item, output):
    judged.append(item.id)
    if len(judged) == int(os.environ["DIES_AT"]):
        os.kill(os.getpid(), signal.SIGKILL)
    return len(str(output)) / 10_000

ITEMS = [Item(f"日/{n}", asked) for n, asked in enumerate(ASKED)]
SUITE = Suite("ways", ITEMS, [Checker(told)], Tool("reasoning_tree", {"max_branches": 2}))
"""


class Killed:
    """Runs a suite in a folder of its own, and dies where it is told to."""

    def __init__(self, folder: Path, url: str, *options: str) -> None:
        self.folder, self.url, self.options = folder, url, options
        folder.mkdir()
        (folder / "ways.py").write_text(SUITE, encoding="utf-8")

    def run(self, dies_at: int = 0) -> tuple[int, str]:
        """Begin the run or go on with it; return the exit status and what was complained of."""
        logs = self.logs()
        resume = ("--resume", logs[0].name) if logs else ()
        done = subprocess.run(
            [sys.executable, "-m", "reasonloom", "eval", "run", "ways.py",
             *self.options, *resume],
            cwd=self.folder,
            env=environment(self.folder / "home", DATABASE_URL=self.url, DIES_AT=str(dies_at)),
            capture_output=True,
            encoding="utf-8",
            timeout=4 * PATIENCE,
            check=False,
        )  # fmt: skip
        return done.returncode, "" if dies_at else done.stderr.strip()

    def logs(self) -> list[Path]:
        return sorted((self.folder / "home" / "evals").glob("*.jsonl"))

    def results(self) -> dict[tuple[str, int], Any]:
        records = EvalLog(self.logs()[0]).records
        found = {(each.item, each.epoch): (each.output, each.scores) for each in records}
        assert len(found) == len(records)
        return found


def engine_runs(url: str) -> int:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT count(*) FROM reasonloom.runs").fetchall()
    return int(rows[0][0])


@pytest.mark.parametrize(
    ("parallel", "kills"), [("1", (1, 2)), ("3", (1,))], ids=["alone", "at once"]
)
def test_a_command_that_is_killed_comes_to_the_same(
    tmp_path: Path, postgres: TestPostgres, database: str, parallel: str, kills: tuple[int, ...]
) -> None:
    url = postgres.address.dsn("postgres", database)
    whole = Killed(tmp_path / "whole", url, "--parallel", parallel)
    assert whole.run() == (0, "")
    assert len(whole.results()) == ITEMS
    killed = Killed(tmp_path / "killed", url, "--parallel", parallel)
    for dies_at in kills:
        assert killed.run(dies_at) == (-9, "")
        assert set(killed.results()) < set(whole.results())
    assert killed.run() == (0, "")
    assert killed.results() == whole.results()
    assert engine_runs(url) == 2 * ITEMS
