"""What is typed wrongly is one line on stderr and exit 2, whichever command it is typed to."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_commands import Run, run
from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment
from tests.support.history.transcripts import generated

__all__ = ["run"]
NOWHERE = "postgresql://127.0.0.1:1/none"
LONG = "a" * 5_000
NO_TEXT = b"a\xff"


def typed(
    home: Path, *arguments: str | bytes, given: bytes = b"", **variables: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command that needs no database; its arguments may be any bytes."""
    return subprocess.run(
        [*program(), *arguments],
        env=environment(home, **{"DATABASE_URL": NOWHERE, **variables}),
        cwd=home.parent, input=given, capture_output=True, timeout=60, check=False,
    )  # fmt: skip


def refused(done: subprocess.CompletedProcess[bytes] | subprocess.CompletedProcess[str]) -> str:
    """Return the one line that a command ended with."""
    said = done.stderr.decode() if isinstance(done.stderr, bytes) else done.stderr
    assert done.returncode == 2, said
    assert len(done.stdout) == 0
    assert said.startswith("reasonloom: ") and said.count("\n") == 1, said
    return said.removeprefix("reasonloom: ").strip()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("history", "search", ""), "Query cannot be empty"),
        (("history", "search", " ", "--predict"), "Context cannot be empty"),
        (("history", "search", "x", "--project", ""), "Project cannot be empty"),
        (("history", "show", ""), "Project cannot be empty"),
        (("history", "sessions", LONG), "project: must have at most 256 characters"),
        (("memory", "health", "--user", LONG), "--user: must be 1 to 256 characters, not blank"),
        (("memory", "export", "-", "--user", " "), "--user: must be 1 to 256 characters"),
        (("eval", "report", LONG), "there is no run aaa"),
        (("prompts", "new", "linear/continue", "--folder", "/dev/null/x"),
         "folder: continue.v4.md cannot be written there: Not a directory"),
        (("bench", "--only", "start", "--output", "nowhere/x"), "--output: the folder of x is not"),
        (("db", "stop"), "stops only embedded databases"),
        (("serve", "--stateless"), "--stateless: needs --http HOST:PORT"),
        (("serve", "--studio"), "--studio: needs --http HOST:PORT"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_used_is_one_line(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused(typed(tmp_path / "home", *arguments))


@pytest.mark.parametrize(
    "command",
    [
        ("history", "search"), ("history", "show"), ("memory", "health", "--user"),
        ("models", "show"), ("models", "activate"), ("call",),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused_before_anything_is_opened(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    said = refused(typed(tmp_path / "home", *command, NO_TEXT))
    assert (
        said == f"argument {len(command) + 1}: must be UTF-8 text, or the name of an existing file"
    )


def test_a_file_may_be_named_by_any_bytes(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + NO_TEXT))).write_text("{}")
    done = typed(tmp_path / "home", "memory", "import", NO_TEXT)
    assert done.returncode == 1
    assert b"database could not be reached" in done.stderr


def test_a_hook_ends_well_whatever_it_is_given(tmp_path: Path) -> None:
    assert typed(tmp_path / "home", "hook", NO_TEXT).returncode == 0


def test_arguments_on_stdin_that_are_no_text_are_refused(tmp_path: Path) -> None:
    said = refused(typed(tmp_path / "home", "call", "recall", "-", given=b'{"text": "\xff"}'))
    assert said.startswith("arguments: not JSON")


def test_a_demo_without_a_database_ends_with_what_is_wrong(tmp_path: Path) -> None:
    done = typed(tmp_path / "home", "demo")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    last = done.stderr.decode().splitlines()[-1]
    assert (
        last
        == "reasonloom: the demo ended: recall answered as above; `reasonloom doctor` shows more"
    )
    unserved = typed(tmp_path / "home", "demo", REASONLOOM_LLM="bogus")
    assert refused(unserved).startswith("REASONLOOM_LLM: `bogus` is none of offline")


def test_figures_that_cannot_be_kept_are_not_measured(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    said = refused(typed(tmp_path / "home", "bench", "--only", "start", "--output", "there"))
    assert said == "--output: there cannot be written"


def test_a_project_that_is_not_there_is_a_mistake(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes(generated(2, seed=2).data())
    assert run("history", "ingest", "one.jsonl").returncode == 0
    for command in (
        ("show", "nope"), ("show", "nope", "--last"), ("sessions", "nope"),
        ("search", "x", "--project", "nope"),
    ):  # fmt: skip
        assert refused(run("history", *command)).startswith('project: there is no project "nope"')
    said = refused(run("history", "show", "api", "--from", "2025-13-01"))
    assert said.startswith("from: ")
    assert json.loads(run("history", "show", "api", "--json").stdout)["chunks"]


def test_evals_are_named_whether_there_are_runs_or_not(tmp_path: Path) -> None:
    bare = typed(tmp_path / "home", "eval", "list").stdout.decode()
    assert bare.startswith("no runs yet; evals: locomo, people")
    (tmp_path / "home" / "evals").mkdir(parents=True)
    (tmp_path / "home" / "evals" / "x.jsonl").write_text("{}\n")
    one, names = typed(tmp_path / "home", "eval", "list").stdout.decode().splitlines()
    assert one.startswith("x.jsonl  ")
    assert names.startswith("evals: locomo, people")
