"""`reasonloom worker`, `eval run --workers` and `jobs`, as they are typed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.workers.process import PATIENCE, wait_for_workers

Answer = tuple[int, str, str]


class Shell:
    """Runs commands on one database, in one home."""

    def __init__(self, postgres: TestPostgres, database: str, home: Path) -> None:
        self.access = postgres.access(database)
        url = postgres.address.dsn("postgres", database)
        self.environment = {**environment(home), "DATABASE_URL": url}
        self.home = home

    def __call__(self, *words: str, **settings: str) -> Answer:
        """Run a command; return its exit code, stdout and stderr."""
        done = subprocess.run(
            [sys.executable, "-m", "reasonloom", *words], env={**self.environment, **settings},
            capture_output=True, text=True, timeout=120, check=False, cwd=self.home,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    @contextmanager
    def worker(self, *words: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
        """Yield a worker; stop it with SIGTERM."""
        process = subprocess.Popen(
            [sys.executable, "-m", "reasonloom", "worker", *words],
            env={**self.environment, **settings}, text=True, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            wait_for_workers(self.access, 1)
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=PATIENCE)
            sys.stderr.write(err)


@pytest.fixture
def shell(postgres: TestPostgres, database: str, tmp_path: Path) -> Shell:
    """Commands on this test's database."""
    (tmp_path / "home").mkdir()
    return Shell(postgres, database, tmp_path / "home")


def write_questions(folder: Path, count: int = 6) -> Path:
    file = folder / "questions.csv"
    rows = [f"q{n},What is {n} + {n}? Zażółć,{2 * n}" for n in range(count)]
    file.write_text("\n".join(["id,input,target", *rows]), encoding="utf-8")
    return file


def result(text: str) -> Mapping[str, Any]:
    """Return a printed result without times and the names of the logs."""
    (found,) = json.loads(text)["runs"]
    return {
        name: value for name, value in found.items() if name not in ("log", "number", "latency_ms")
    }


def records(shell: Shell, text: str) -> list[str]:
    """Return the lines of a printed result's log without times and ids, sorted."""
    (found,) = json.loads(text)["runs"]
    text = (shell.home / "evals" / found["log"]).read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        line.get("head", {}).pop("number", None)
        line.pop("run", None)
        line.pop("latency_ms", None)
    return sorted(json.dumps(line) for line in lines)


BUSY = "no worker has taken a job for 5 seconds"
"""What a follower says on a slow machine, where a job takes that long."""


@pytest.mark.parametrize("by", ["reasoning_linear", "reasoning_tree"])
def test_the_command_gives_the_same_with_workers(shell: Shell, by: str) -> None:
    file = write_questions(shell.home)
    command = ("eval", "run", str(file), "--by", by, "--scorer", "contains", "--epochs", "2")
    _, alone, _ = shell(*command, "--json")
    with shell.worker(), shell.worker("--queues", "eval", "--poll") as stopped:
        code, spread, err = shell(*command, "--workers", "--json")
    lines = [each for each in err.splitlines() if not each.startswith(BUSY)]
    assert (code, lines) == (0, shell(*command, "--json")[2].splitlines())
    assert result(spread) == result(alone)
    assert records(shell, spread) == records(shell, alone)
    assert stopped.returncode == 0
    assert shell("jobs", "list")[1] == "no jobs\n"


def test_replayed_replies_are_those_of_one_process(shell: Shell) -> None:
    file, book = write_questions(shell.home), shell.home / "book.jsonl"
    command = ("eval", "run", str(file), "--by", "reasoning_linear", "--scorer", "contains")
    code, _, err = shell(*command, "--llm", f"record:{book}:simulated:reader", "--json")
    assert code == 0, err
    replayed = ("--llm", f"replay:{book}", "--json")
    _, alone, _ = shell(*command, *replayed)
    with shell.worker():
        code, spread, err = shell(*command, "--workers", *replayed)
    assert code == 0, err
    assert result(spread) == result(alone)
    assert records(shell, spread) == records(shell, alone)


def test_nobody_at_work_is_reported_and_nothing_is_lost(shell: Shell) -> None:
    file = write_questions(shell.home, 2)
    command = f"eval run {file} --by reasoning_tree --scorer contains --workers".split()
    waiting = subprocess.Popen(
        [sys.executable, "-m", "reasonloom", *command], env=shell.environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert waiting.stderr is not None
    warning = waiting.stderr.readline()
    waiting.send_signal(signal.SIGINT)
    waiting.communicate(timeout=PATIENCE)
    assert warning == "no worker is running: start one with `reasonloom worker`\n"
    (log,) = (shell.home / "evals").glob("*.jsonl")
    with shell.worker():
        code, out, err = shell(*command, "--resume", log.name, "--json")
    assert code == 0, err
    assert json.loads(out)["runs"][0]["done"] == 2
    with psycopg.connect(shell.access.admin) as connection:
        left = "SELECT count(*) FROM items WHERE namespace[1] = 'job'"
        assert connection.execute(left).fetchone() == (0,)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["worker", "--queues", "evals"], "did you mean `eval`?"),
        (["worker", "--queues", ""], "there is no queue"),
        (["worker", "--concurrency", "0"], "--concurrency"),
        (["jobs", "retry", "12"], "Failed job not found: 12"),
        (
            ["eval", "run", "FILE", "--by", "reasoning_tree", "--workers", "--cache", "replies"],
            "--cache",
        ),
        (["eval", "run", "answerable", "--workers"], "--workers: is not an option of answerable"),
    ],
)
def test_bad_input_names_what_is_wrong(shell: Shell, words: list[str], part: str) -> None:
    file = write_questions(shell.home)
    given = [str(file) if word == "FILE" else word for word in words]
    code, _, err = shell(*given, *(["--scorer", "contains"] if "FILE" in words else []))
    assert code == 2
    assert part in err
    assert len(err.splitlines()) == 1


def test_failed_jobs_are_listed_reported_and_retried(shell: Shell) -> None:
    assert not [each for each in json.loads(shell("doctor", "--json")[1]) if each["part"] == "jobs"]
    assert shell("jobs", "list") == (0, "no jobs\n", "")
    other = "eval@9.9.9"
    with psycopg.connect(shell.access.admin) as connection:
        connection.execute("SET search_path = reasonloom_queue")
        add = """INSERT INTO procrastinate_jobs (queue_name, task_name, status, attempts, args)
            VALUES (%s, 'eval_item', %s, %s, '{"owner": "anna", "space": "", "key": "1/0"}')"""
        connection.execute(add, ("eval@0.1.0", "failed", 3))
        connection.execute(add, (other, "todo", 0))
    found = [each for each in json.loads(shell("doctor", "--json")[1]) if each["part"] == "jobs"]
    assert [each["message"] for each in found] == [
        "0 workers running, 1 job waiting",
        "1 job failed in all attempts",
        f"jobs wait in {other}, for workers of that version",
    ]
    job = json.loads(shell("jobs", "list", "--failed", "--json")[1])
    assert job["ids"] == {"owner": "anna", "space": "", "key": "1/0"}
    assert shell("jobs", "retry", str(job["id"])) == (0, f"job {job['id']} waits again\n", "")
    assert "no jobs" in shell("jobs", "list", "--failed")[1]
