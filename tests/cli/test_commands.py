"""The commands as a person types them, each a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres

Run = Callable[..., subprocess.CompletedProcess[str]]
FACT = {
    "content": "Green tea is in the tin.",
    "userId": "local",
    "sessionId": "s",
    "primarySector": "semantic",
}


@pytest.fixture
def run(postgres: TestPostgres, database: str, tmp_path: Path) -> Run:
    """Run a command against this test's database."""

    def command(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        url = {"DATABASE_URL": postgres.address.dsn("postgres", database)}
        return subprocess.run(
            [*program(), *arguments],
            env=environment(tmp_path / "home", **{**url, "COLUMNS": "200", **more}),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return command


def test_call_prints_the_answer_and_runs_shows_what_it_took(run: Run) -> None:
    assert run("call", "remember", json.dumps(FACT)).returncode == 0
    called = run("call", "reasoning_linear", '{"content": "Where is the tea?"}')
    answer = json.loads(called.stdout)
    assert "tin" in answer["content"]
    listed = run("runs", "list", "--json").stdout.splitlines()
    assert [json.loads(line)["tool"] for line in listed] == ["reasoning_linear", "remember"]
    shown = json.loads(run("runs", "show", answer["run_id"][:8], "--json").stdout)
    assert shown["status"] == "done"
    assert [call["prompt"] for call in shown["llm_calls"]] == ["linear/continue"]
    drawn = run("runs", "list").stdout
    assert answer["run_id"] in drawn
    page = run("runs", "show", answer["run_id"]).stdout
    assert "content: Where is the tea?" in page and "linear/continue" in page


def test_a_refused_call_ends_with_one_and_says_why(run: Run) -> None:
    refused = run("call", "remember", "{}")
    assert refused.returncode == 1
    assert json.loads(refused.stdout)["error"].startswith("Missing required parameter")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("call", "remembr", "{}"), "did you mean remember"),
        (("call", "remember", "{"), "arguments: not JSON"),
        (("call", "remember", "[]"), "must be a JSON object"),
        (("runs", "show", "nonsense"), "Run not found: nonsense"),
        (("serve", "--toolsets", "thougt"), "did you mean thought"),
        (("serve", "--http", "0.0.0.0:80"), "loopback"),
        (("serve", "--http", "nonsense"), "HOST:PORT"),
    ],
)
def test_a_mistake_is_one_line_and_exit_two(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_bad_setting_is_one_line_that_names_it(run: Run) -> None:
    done = run("doctor", MAX_RETRIES="many")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "MAX_RETRIES" in done.stderr


def test_the_doctor_tells_of_every_part(run: Run) -> None:
    done = run("doctor", "--json", OPENAI_API_KEY="sk-secret")
    assert done.returncode == 0
    findings = json.loads(done.stdout)
    parts = {finding["part"] for finding in findings}
    database = {"database", "owner", "processes"}
    assert parts == {"versions", "llm", "embedder", *database, "tools", "prompts"}
    assert all(each["cure"] == each["fix"] for each in findings)
    assert "OPENAI_API_KEY" in done.stdout
    assert "sk-secret" not in done.stdout + done.stderr


def test_the_doctor_shortens_lists_unless_it_is_verbose(run: Run) -> None:
    short, whole = run("doctor").stdout, run("doctor", "--verbose").stdout
    assert "more (--verbose)" in short
    assert "tree/propose v" not in short
    assert "tree/propose v" in whole
    assert "--verbose" not in whole


def test_the_doctor_finds_what_is_broken(run: Run) -> None:
    done = run("doctor", DATABASE_URL="postgresql://u:hushhush@127.0.0.1:9/none")
    assert done.returncode == 1
    assert "broken" in done.stdout
    assert "hushhush" not in done.stdout + done.stderr


def test_db_status_and_upgrade(run: Run) -> None:
    assert run("db", "status").returncode == 0
    assert "nothing to do" in run("db", "upgrade").stdout
    refused = run("db", "stop")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "stops only embedded databases" in refused.stderr


def test_the_demo_shows_what_was_stored_found_and_concluded(run: Run) -> None:
    first = run("demo")
    assert first.returncode == 0, first.stderr
    for shown in ("Anna is allergic to peanuts", "What time is the final train?", "22:40",
                  "nothing relevant", "recall context → continue thought → keep thought",
                  "mode linear"):  # fmt: skip
        assert shown in first.stdout
    assert "Forgot 9 memories" in run("demo").stdout


def test_a_softly_forgotten_memory_is_restored(run: Run) -> None:
    run("call", "remember", json.dumps(FACT))
    asked = json.dumps({"userId": "local", "text": "green tea"})
    run("call", "forget", json.dumps({"userId": "local", "memoryId": "mem-1", "soft": True}))
    assert json.loads(run("call", "recall", asked).stdout)["data"]["memories"] == []
    assert run("memory", "restore", "mem-1").stdout == "restored mem-1\n"
    assert json.loads(run("call", "recall", asked).stdout)["data"]["totalCount"] == 1
    again = run("memory", "restore", "mem-1")
    assert (again.returncode, again.stderr) == (2, "reasonloom: Memory not found: mem-1\n")


def test_version(run: Run) -> None:
    assert run("--version").stdout.startswith("reasonloom ")


def test_nothing_is_written_into_the_folder_one_stands_in(run: Run, tmp_path: Path) -> None:
    run("call", "recall", '{"userId": "local"}')
    assert [path for path in tmp_path.iterdir() if path.name != "home"] == []


PROGRAM = """
import atexit
from reasonloom.cli.server.serve import FastExit

class Loaded:
    def __del__(self):
        print("taken down", flush=True)

loaded = Loaded()
last = FastExit()
atexit.register(print, "sent")
print("served")
{then}
"""


def ended(then: str) -> tuple[int, list[str]]:
    """Run the program; return its exit status and what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(then=then)], capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.split("\n")[:-1]


def test_what_is_held_is_sent_and_nothing_is_taken_down() -> None:
    assert ended("last.served = True") == (0, ["served", "sent"])


@pytest.mark.parametrize(("then", "status"), [("raise ValueError", 1), ("raise SystemExit(2)", 2)])
def test_a_failure_keeps_its_exit_status(then: str, status: int) -> None:
    assert ended(then) == (status, ["served", "sent", "taken down"])
