"""The page of evals does what it says: its suite, its command and its Python run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from reasonloom.evals.log import EvalLog
from tests import ROOT
from tests.support.clients.processes import environment
from tests.support.docs.pages import DOCS, blocks, newcomer

PAGE = (ROOT / "docs" / "evals.md").read_text(encoding="utf-8")
SUITE = re.search(r"^```python title=twenty_four\.py\n(.*?)^```$", PAGE, re.M | re.S)
PYTHON = re.search(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
MOST_LINES = 25


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert SUITE
    (tmp_path / "twenty_four.py").write_text(SUITE[1], encoding="utf-8")
    return tmp_path


def ran(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment(folder / "home"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_suite_of_ones_own_takes_25_lines_at_most() -> None:
    assert SUITE
    assert len([line for line in SUITE[1].splitlines() if line.strip()]) <= MOST_LINES


def test_the_command_of_the_page_runs_its_suite(folder: Path) -> None:
    command = "reasonloom eval run twenty_four.py --llm simulated:game24 --epochs 5"
    assert f"```sh\n{command}\n```" in PAGE
    told = ran(folder, "-m", *command.split())
    assert "40 of 40" in told
    (log,) = (folder / "home" / "evals").glob("twenty_four-*.jsonl")
    assert len(EvalLog(log).records) == 40


def test_the_python_of_the_page_compares_two_ways(folder: Path) -> None:
    assert PYTHON
    told = ran(folder, "-c", PYTHON[1])
    assert re.fullmatch(r"0\.\d{3} -> 0\.\d{3}, 95 % \[-?0\.\d+, -?0\.\d+\]\n", told)
    assert [len(EvalLog(folder / name).records) for name in ("direct.jsonl", "chain.jsonl")] == [
        160,
        160,
    ]


TUTORIAL = blocks(DOCS / "writing-an-eval.md")


def test_the_suite_of_the_page_is_run_compared_and_reported() -> None:
    assert {each.language for each in TUTORIAL} == {"sh", "text", "python"}
    with newcomer() as somebody:
        somebody.follow(TUTORIAL)
        for name in ("first", "nearest"):
            assert len(EvalLog(somebody.folder / f"{name}.jsonl").records) == 6
        assert "<html" in (somebody.folder / "stories.html").read_text(encoding="utf-8")
        assert "contains" in (somebody.folder / "stories.txt").read_text(encoding="utf-8")
