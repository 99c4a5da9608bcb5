"""`reasonloom eval run metacognition` as a person types it, on small sets of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.evals.suites.metacognition.small_sets import sets, written
from tests.support.clients.eval_shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "data", {name: sets()[name] for name in ("emotions", "frameworks")})


def test_the_table_holds_figures_beside_goals(shell: Shell, data: Path) -> None:
    code, said, complained = shell.run("run", "metacognition", "--data", str(data))
    assert code == 0, complained
    lines = said.splitlines()
    goal = next(line for line in lines if "emotions: top-1" in line)
    assert all(part in goal for part in (">= 0.6", " to ", "%", "8.3 %"))
    assert "met" in goal or "missed" in goal
    assert "llm offline" in said
    assert "held" not in said
    assert "not scaled" in said
    assert "scenario-planning" in said
    assert (
        "20 of 20 results of metacognition  half dev  llm offline  right 0." in shell.run("list")[1]
    )


def test_both_halves_come_as_json_and_are_not_resumed_as_one(shell: Shell, data: Path) -> None:
    arguments = ("run", "metacognition", "--data", str(data))
    code, said, complained = shell.run(*arguments, "--half", "all", "--json")
    assert code == 0, complained
    told = json.loads(said)
    assert list(told["halves"]) == ["dev", "held"]
    assert told["log"] == shell.logs()[0].name
    goals = [f["goal"] for f in told["halves"]["held"]["figures"] if "goal" in f]
    assert goals == [">= 0.6", ">= 0.7", "< 5"]
    code, said, _ = shell.run(*arguments, "--half", "all", "--resume", told["log"])
    assert code == 0
    assert "dev" in said
    assert "held" in said
    code, _, complained = shell.run(*arguments, "--resume", told["log"])
    assert code == 2
    assert "the run to resume had another half" in complained
