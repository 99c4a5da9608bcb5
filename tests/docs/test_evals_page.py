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
from tests.support.llms.providers import chatting

PAGE = (ROOT / "docs" / "evals.md").read_text(encoding="utf-8")
SUITE = re.search(r"^```python title=twenty_four\.py\n(.*?)^```$", PAGE, re.M | re.S)
NOTEBOOK = re.search(r"^```python title=notebook\.py\n(.*?)^```$", PAGE, re.M | re.S)
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


def test_the_declared_eval_of_the_page_runs_as_written(tmp_path: Path) -> None:
    page = blocks(DOCS / "evals.md")
    for each in page:
        if each.title in ("capitals.csv", "capitals.yaml"):
            (tmp_path / each.title).write_text(each.body, encoding="utf-8")
    (prepare,) = (each.body for each in page if "prompts new own/answer" in each.body)

    def say(system: str, user: str) -> str:
        assert system == "Answer the question. Be brief."
        return "Paris." if "France" in user else "Sydney."

    with chatting(say) as llm:
        surroundings = environment(tmp_path / "home") | llm.settings
        run = f"{prepare}\nreasonloom eval run capitals.yaml --json"
        done = subprocess.run(
            ["sh", "-ec", run],
            cwd=tmp_path,
            env=surroundings | {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert len(llm.asked) == 2 * 3 * 3
    logs = [*(tmp_path / "home" / "evals").glob("capitals-*.jsonl")]
    assert [len(EvalLog(log).records) for log in logs] == [6, 6, 6]


TUTORIAL = blocks(DOCS / "writing-an-eval.md")


def test_the_suite_of_the_page_is_run_compared_and_reported() -> None:
    assert {each.language for each in TUTORIAL} == {"sh", "text", "python"}
    with newcomer() as somebody:
        somebody.follow(TUTORIAL)
        for name in ("first", "nearest"):
            assert len(EvalLog(somebody.folder / f"{name}.jsonl").records) == 6
        assert "<html" in (somebody.folder / "stories.html").read_text(encoding="utf-8")
        assert "contains" in (somebody.folder / "stories.txt").read_text(encoding="utf-8")


def test_the_notebook_of_the_page_draws_a_chart(folder: Path) -> None:
    assert NOTEBOOK
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    told = ran(folder, "-c", NOTEBOOK[1])
    assert "guess is worse than add by 95.0 points" in told
    assert (folder / "scores.png").stat().st_size > 1_000
