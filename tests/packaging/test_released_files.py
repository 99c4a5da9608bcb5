"""The files that a released version left with its users work as before."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from langgraph.pregel import Pregel

from tests import ROOT
from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.released_files import CALLS, EVAL, HOSTS, PROMPT, RELEASED

Run = Callable[..., str]
VARIES = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.+]+|(record|replay):[\w.:/-]+"
)
CLOCKED = {"processingTime", "processing_time_ms", "duration_ms", "seconds"}
READ = {"alternatives", "selection", "votes"}
"""What the packaged reader gives, which may be taught further between two versions."""


@pytest.fixture(params=sorted(RELEASED.iterdir()), ids=lambda folder: folder.name)
def released(request: pytest.FixtureRequest) -> Path:
    """The files of a released version."""
    return Path(request.param)


@pytest.fixture
def run(postgres: TestPostgres, database: str, tmp_path: Path, released: Path) -> Run:
    """Run a command with the released recording."""

    def command(*arguments: str, **more: str) -> str:
        done = subprocess.run(
            [*program(), *arguments],
            env=environment(
                tmp_path / "ours",
                HOME=str(tmp_path),
                REASONLOOM_TOOLSETS="classic",
                DATABASE_URL=postgres.address.dsn("postgres", database),
                REASONLOOM_LLM=f"replay:{released / 'recording.jsonl'}",
                COLUMNS="200",
                **more,
            ),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return command


def steady(value: Any) -> Any:
    """Return a value without ids, times and names of recordings."""
    if isinstance(value, dict):
        return {key: steady(part) for key, part in value.items() if key not in CLOCKED | READ}
    if isinstance(value, list):
        return [steady(part) for part in value]
    return VARIES.sub("", value) if isinstance(value, str) else value


AS_TEXT = {"reasoning_divergent": ("content", "synthesis", "confidence")}
"""Fields that showed a reply as JSON in version 0.1 and show its text since."""


def test_a_recording_plays_the_same_answers(released: Path, run: Run, tmp_path: Path) -> None:
    answers = json.loads((released / "answers.json").read_text())
    assert set(answers) == set(CALLS)
    for tool, arguments in CALLS.items():
        answered = json.loads(run("call", tool, json.dumps(arguments)))
        for field in AS_TEXT.get(tool, ()):
            assert not str(answered.pop(field)).startswith("{")
            answers[tool].pop(field)
        assert steady(answered) == steady(answers[tool])


def test_an_eval_that_was_interrupted_goes_on(released: Path, run: Run, tmp_path: Path) -> None:
    lines = (released / "eval.jsonl").read_text().splitlines(keepends=True)
    log = tmp_path / "ours" / "evals" / "released.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(lines[:3]))
    run("eval", "run", str(released / "cases.jsonl"), *EVAL, "--resume", "released.jsonl")
    assert "cases" in run("eval", "report", "released.jsonl")
    before, after = ([json.loads(line) for line in text] for text in (lines, log.open()))
    assert after[:3] == before[:3]
    scores = [[(entry["item"], entry["scores"]) for entry in log[1:]] for log in (before, after)]
    assert sorted(scores[0]) == sorted(scores[1])


def test_prompts_of_a_users_folder_are_found(released: Path, run: Run) -> None:
    own = str(released / "prompts")
    assert f"{PROMPT}  v1 v2*" in run("prompts", "list", REASONLOOM_PROMPTS=own)
    run("prompts", "lint", REASONLOOM_PROMPTS=own)


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_is_uninstalled(released: Path, run: Run, tmp_path: Path, host: str) -> None:
    run("install", host, "--yes")
    (written,) = [path for path in tmp_path.rglob(HOSTS[host]) if "ours" not in path.parts]
    ours = written.read_text()
    released_text = (released / HOSTS[host]).read_text()
    assert re.sub(r'"command": ".*"|command = ".*"', "", ours) == re.sub(
        r'"command": ".*"|command = ".*"', "", released_text
    )
    written.write_text(released_text)
    run("uninstall", host, "--yes")
    assert not written.exists(), "nothing else was in it"


def test_installed_hooks_are_recognised(released: Path, run: Run, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    shutil.copy(released / "settings.json", settings)
    run("hooks", "uninstall", "--yes", "--settings", str(settings))
    assert not settings.exists(), "nothing else was in it"


def test_the_graphs_of_langgraph_are_where_they_were(released: Path) -> None:
    graphs = json.loads((released / "langgraph.json").read_text())["graphs"]
    for reference in graphs.values():
        file, name = reference.split(":")
        assert (ROOT / file).exists()
        module = import_module(file.removeprefix("./").removesuffix(".py").replace("/", "."))
        assert isinstance(getattr(module, name), Pregel), sys.path
