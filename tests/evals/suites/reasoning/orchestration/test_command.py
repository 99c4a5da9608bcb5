"""`reasonloom eval run sim-...` as a person types it: the same again, after a kill too."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from tests.support.clients.eval_shell import Shell, held
from tests.support.clients.processes import PATIENCE

ROWS = ("--row", "linear", "--row", "tree-5", "--row", "best-first")
SMALL = ("sim-game24", "--items", "4", "--seeds", "2", *ROWS)
RESULTS = 3 * 4 * 2


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def test_the_same_comes_again_whatever_runs_at_once(shell: Shell, puzzles: Path) -> None:
    for concurrency in ("concurrency=1", "concurrency=16"):
        code, _, complained = shell.run(
            "run", *SMALL, "--data", str(puzzles), "--set", concurrency, "--json"
        )
        assert code == 0, complained
        (log,) = shell.logs()
        log.rename(shell.home / concurrency)
    one, other = (held(shell.home / f"concurrency={n}") for n in (1, 16))
    assert one == other
    assert len(one) == RESULTS + 1


def test_a_run_that_is_killed_goes_on_and_holds_the_same(shell: Shell, puzzles: Path) -> None:
    arguments = (*SMALL, "--data", str(puzzles))
    process = shell.start("run", *arguments)
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends and len(shell.results()) < 8:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (log,) = shell.logs()
    before = held(log)
    assert 8 <= len(before) - 1 < RESULTS
    with log.open("a") as file:
        file.write('{"item": "tree-5/9')
    assert f"{len(before) - 1} of {RESULTS} results" in shell.run("list")[1]

    code, said, complained = shell.run("run", *arguments, "--resume", log.name, "--json")
    assert code == 0, complained
    resumed = held(log)
    assert resumed[: len(before)] == before
    log.rename(shell.home / "resumed")
    code, again, _ = shell.run("run", *arguments, "--json")
    assert held(shell.logs()[0]) == resumed
    told, anew = (json.loads(each) for each in (said, again))
    assert {**told, "log": ""} == {**anew, "log": ""}


def test_the_table_tells_what_kind_of_evidence_it_is(shell: Shell, puzzles: Path) -> None:
    code, said, _ = shell.run("run", *SMALL, "--data", str(puzzles))
    assert code == 0
    lines = said.splitlines()
    tree = next(line for line in lines if "tree-5" in line)
    assert all(part in tree for part in ("predicted", "%", " to ", "74 %, logs 69 %, $0.74"))
    assert any("best-first" in line and "tree-5" in line and "%" in line for line in lines)
    assert "measures orchestration, not reasoning" in said
    assert all(status in said for status in ("fitted:", "predicted:", "control:", "own:"))


def test_a_mistake_is_one_line_and_leaves_no_run(shell: Shell) -> None:
    code, _, complained = shell.run("run", "sim-game24", "--data", "absent.csv")
    assert code == 2
    assert "data: there is no such file" in complained
    assert len(complained.strip().splitlines()) == 1
    assert shell.logs() == []


def test_a_run_is_not_resumed_as_another(shell: Shell, puzzles: Path) -> None:
    same = ("sim-game24", "--items", "2", "--row", "linear", "--data", str(puzzles))
    assert shell.run("run", *same, "--seeds", "1")[0] == 0
    (log,) = shell.logs()
    code, _, complained = shell.run("run", *same, "--seeds", "2", "--resume", log.name)
    assert code == 2
    assert "the run to resume had another epochs, seeds" in complained
