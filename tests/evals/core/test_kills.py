"""A run that is killed at any item is gone on with: no item twice, none lost, none paid twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import run
from reasonloom.evals.core.way import Function
from reasonloom.evals.log import EvalLog
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.clients.fork_server import cold_program
from tests.support.clients.processes import PATIENCE, environment
from tests.support.databases.postgres import TestPostgres
from tests.support.evals.killed_process import evaluate, thinking_suite
from tests.support.evals.suites import suite

ITEMS, EPOCHS = 5, 2


def child(log: Path, survive: int, place: str) -> int:
    """Run the suite in a forked process that dies at an item; return its exit status."""
    left = [survive]

    def answer(item: Item, epoch: int) -> str:
        left[0] -= place == "answering"
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"{item.id}/{epoch}"

    def tell(what: str, done: int, total: int) -> None:
        left[0] -= place == "written"
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    pid = os.fork()
    if pid == 0:
        try:
            asyncio.run(run(suite(ITEMS, Function(answer)), log=log, epochs=EPOCHS, tell=tell))
        finally:
            os._exit(0)
    return os.waitpid(pid, 0)[1]


@pytest.mark.parametrize("place", ["answering", "written"])
@pytest.mark.parametrize("survive", range(ITEMS * EPOCHS))
def test_a_kill_at_any_item_loses_none_and_repeats_none(
    tmp_path: Path, place: str, survive: int
) -> None:
    log = tmp_path / "run.jsonl"
    assert child(log, survive, place) == signal.SIGKILL
    done = EvalLog(log).done()
    assert len(done) == survive + (place == "written")
    assert child(log, 10**6, place) == 0
    records = EvalLog(log).records
    assert [(each.item, each.epoch) for each in records] == [
        (str(item), epoch) for epoch in range(EPOCHS) for item in range(ITEMS)
    ]
    assert all(each.output == f"{each.item}/{each.epoch}" for each in records)


def count(access: Access, table: str) -> int:
    with psycopg.connect(access.admin) as connection:
        rows = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    return int(rows[0][0])


def paid(book: Path) -> list[str]:
    return [json.loads(line) for line in book.read_text(encoding="utf-8").splitlines()]


async def test_an_item_is_gone_on_with_inside_and_no_recorded_reply_is_paid_twice(
    tmp_path: Path, access: Access, embedder: Embedder
) -> None:
    whole, undisturbed = tmp_path / "whole.book", tmp_path / "whole.jsonl"
    expected = await evaluate(access, undisturbed, whole, embedder=embedder)
    runs, book, log = count(access, "runs"), tmp_path / "book", tmp_path / "run.jsonl"
    for at in (2, 3, 4):
        arguments: list[Any] = [access.admin, access.app, log, book, at]
        process = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "tests.support.evals.killed_process", *map(str, arguments)],
            env=environment(tmp_path / "home"),
            check=False,
        )
        assert process.returncode == -signal.SIGKILL
    assert 0 < len(paid(book)) < len(paid(whole))
    ran = await evaluate(access, log, book, embedder=embedder)
    assert len(paid(book)) == len(paid(whole))
    assert [each.item for each in ran.log.records] == [i.id for i in thinking_suite().items]
    assert [each.scores for each in ran.log.records] == [e.scores for e in expected.log.records]
    assert [each.usage for each in ran.log.records] == [e.usage for e in expected.log.records]
    assert count(access, "runs") == 2 * runs


COMMAND_KILLS_ITEMS = 3
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


NO_MODEL = (
    "no language model was called; to evaluate one, set REASONLOOM_LLM, such as"
    " litellm:openai/gpt-5"
)


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
            [*cold_program(), "eval", "run", "ways.py",
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
    assert whole.run() == (0, NO_MODEL)
    assert len(whole.results()) == COMMAND_KILLS_ITEMS
    killed = Killed(tmp_path / "killed", url, "--parallel", parallel)
    for dies_at in kills:
        assert killed.run(dies_at) == (-9, "")
        assert set(killed.results()) < set(whole.results())
    assert killed.run() == (0, NO_MODEL)
    assert killed.results() == whole.results()
    assert engine_runs(url) == 2 * COMMAND_KILLS_ITEMS
