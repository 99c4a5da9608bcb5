"""The commands that look after memories, as a person types them."""

from __future__ import annotations

import json
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.cli.memory.export_import import atomic_output
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.memory.clusters import about
from tests.support.memory.housekeeping import as_file, take_in

Run = Callable[..., "subprocess.CompletedProcess[str]"]
OLD = "2020-01-0{day}T12:00:00+00:00"
RUNS = [
    {
        "content": f"Anna ran {far} kilometres around the lake and was tired.",
        "sector": "episodic",
        "created_at": OLD.format(day=far),
    }
    for far in (5, 6, 7)
]


@pytest.fixture
def run(postgres: TestPostgres, database: str, tmp_path: Path) -> Run:
    """Run a command against this test's database, with text on its standard input."""

    def command(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        url = postgres.address.dsn("postgres", database)
        return subprocess.run(
            [*program(), *arguments],
            env=environment(tmp_path / "home", DATABASE_URL=url, COLUMNS="200"),
            cwd=tmp_path,
            input=typed,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return command


LINES: list[dict[str, Any]] = [*RUNS, {"content": "日本語の文章です 🙂", "tags": ["مرحبا"]}]


@pytest.fixture
async def stored(engine: Engine) -> None:
    """Four memories, imported by an engine here: a command of its own takes seconds."""
    await take_in(engine, as_file(LINES))


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A file of four memories."""
    file = tmp_path / "given.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in LINES))
    return file


def test_export_and_import_by_file_and_by_pipe(run: Run, given: Path, tmp_path: Path) -> None:
    dry = run("memory", "import", str(given), "--dry-run")
    assert "4 memories would be stored, 0 already stored" in dry.stdout
    assert "4 memories were stored" in run("memory", "import", str(given)).stdout
    again = run("memory", "import", str(given))
    assert "0 memories were stored, 4 already stored" in again.stdout
    out = tmp_path / "out.jsonl"
    done = run("memory", "export", str(out), "--with-embeddings")
    assert (done.returncode, done.stdout) == (0, "exported 4 memories\n")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".out")] == []
    piped = run("memory", "export", "-")
    assert piped.stderr == "exported 4 memories\n"
    header, *lines = map(json.loads, piped.stdout.splitlines())
    assert (header["format"], header["version"], header["memories"]) == (
        "reasonloom-memories", 1, 4,
    )  # fmt: skip
    assert lines[3]["content"] == "日本語の文章です 🙂"
    taken = run("memory", "import", "-", "--user", "guest", typed=out.read_text())
    assert "4 memories were stored" in taken.stdout
    assert len(run("memory", "export", "-", "--user", "guest").stdout.splitlines()) == 5


def test_a_bad_line_stops_an_import_unless_it_is_passed_over(run: Run) -> None:
    text = '{"content": "Tea."}\n{"contents": "x"}\n{"content": "x", "strength": 2}\n'
    refused = run("memory", "import", "-", typed=text)
    assert refused.returncode == 1
    assert "line 2: Missing required parameter: content" in refused.stderr
    assert "line 3: strength: must be less than or equal to 1" in refused.stderr
    assert "nothing was stored" in refused.stderr
    assert json.loads(run("memory", "health", "--json").stdout)["total"] == 0
    passed = run("memory", "import", "-", "--skip-bad", typed=text)
    assert passed.returncode == 0
    assert "1 memory was stored" in passed.stdout


def test_an_export_that_fails_half_way_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    with pytest.raises(KeyboardInterrupt), atomic_output(str(out)) as target:
        target.write(b"half a line")
        target.flush()
        raise KeyboardInterrupt
    assert out.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [out]
    with pytest.raises(InvalidArgument, match="must be in an existing folder"):
        atomic_output("/nowhere/out").__enter__()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "/nowhere"), "FILE: cannot be read: No such file"),
        (("rollback", "--writer", "x", "--since", "yesterday"), "--since: must be a date and time"),
        (("rollback", "--writer", "x", "--since", "2026-01-02", "--until", "2026-01-01"),
         "--until: must not be before --since"),
        (("restore",), "give memory ids such as mem-42, or --hidden-at TIME"),
        (("restore", "mem-1", "mem-9"), "Memory not found: mem-1"),
        (("restore", "--hidden-at", "x"), "--hidden-at: must be the time"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_and_exit_two(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    done = run("memory", *arguments)
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert said in done.stderr


@pytest.mark.usefixtures("stored")
def test_consolidation_shows_its_groups_first_and_then_makes_them(run: Run) -> None:
    assert "3 episodes would become 1 summary" in run("memory", "consolidate", "--dry-run").stdout
    done = run("memory", "consolidate").stdout
    assert "3 episodes became 1 summary" in done
    assert "no language model is configured" in done
    assert "no groups of similar old episodes" in run("memory", "consolidate").stdout
    assert json.loads(run("memory", "health", "--json").stdout)["byKind"]["tool"] == 1


@pytest.mark.usefixtures("stored")
def test_a_rollback_is_shown_done_and_undone(run: Run) -> None:
    what = ("memory", "rollback", "--writer", "import", "--since", "2026-01-01")
    shown = run(*what, "--dry-run").stdout
    assert "4 memories would be hidden" in shown
    assert all(f"mem-{number}" in shown for number in (1, 2, 3, 4))
    done = run(*what).stdout
    assert "4 memories were hidden" in done
    undo = done.split("reasonloom ")[1].split()
    assert run(*undo).stdout == "restored 4 memories\n"
    asked = run(*what, "--hard", typed="n\n")
    assert asked.returncode == 1
    assert "4 memories were erased" in run(*what, "--hard", "--yes").stdout
    assert json.loads(run("memory", "health", "--json").stdout)["total"] == 0


@pytest.mark.usefixtures("stored")
def test_health_is_a_table_and_tells_what_to_do(
    run: Run, postgres: TestPostgres, database: str
) -> None:
    with psycopg.connect(postgres.address.dsn("postgres", database)) as connection:
        connection.execute("UPDATE reasonloom.embeddings SET model = 'old' WHERE memory_id < 3")
    shown = run("memory", "health").stdout
    assert "vectors of old" in shown
    assert "reasonloom db reindex" in shown
    counted = run("db", "reindex", "--dry-run").stdout
    assert "2 memories to embed" in counted
    done = run("db", "reindex")
    assert (done.returncode, "2 memories embedded" in done.stdout) == (0, True)
    assert "reasonloom db reindex" not in run("memory", "health").stdout
    assert "0 memories embedded" in run("db", "reindex").stdout


def test_it_shows_then_forms_and_lists(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    url = postgres.address.dsn("postgres", database)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*program(), *arguments],
            env=environment(tmp_path / "home", DATABASE_URL=url, COLUMNS="200"),
            cwd=tmp_path, capture_output=True, text=True, timeout=150, check=True,
        )  # fmt: skip
        return done.stdout

    assert "no clusters among 0 memories" in run("memory", "cluster")
    assert "no clusters yet" in run("memory", "basins")
    lines = [
        {"content": said, "primarySector": "semantic"}
        for topic in ("dog", "собака", "database")
        for said in about(topic)
    ]
    for place in range(0, len(lines), 100):
        given = {"userId": "local", "sessionId": "s", "memories": lines[place : place + 100]}
        run("call", "batch_remember", json.dumps(given))
    shown = run("memory", "cluster", "--dry-run")
    assert "would hold" in shown and "dog" in shown and "собака" in shown and "new" in shown
    assert "no clusters yet" in run("memory", "basins")
    assert "hold 21 of 21 memories; 0 belong to none" in run("memory", "cluster")
    told = run("memory", "basins", "--relations")
    assert "собака" in told and "active" in told and "relation" in told


NOTED = "UPDATE memories SET last_accessed = now() - interval '10 days', importance = 0"
STRENGTHS = "SELECT round(avg(strength)::numeric, 4)::text FROM memories WHERE space = %s"


def test_it_foretells_then_does_and_says_how_much(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    url = postgres.address.dsn("postgres", database)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*program(), *arguments],
            env=environment(tmp_path / "home", DATABASE_URL=url),
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        return done.stdout

    def strength(space: str) -> str:
        with psycopg.connect(url, options="-c search_path=reasonloom,public") as connection:
            row = connection.execute(STRENGTHS, (space,)).fetchone()
        assert row
        return str(row[0])

    assert run("memory", "decay") == "memories that lost strength: 0\n"
    for user in ("local", "guest"):
        memory = {"content": "Tea.", "userId": user, "sessionId": "s", "primarySector": "episodic"}
        run("call", "remember", json.dumps(memory))
    with psycopg.connect(url, options="-c search_path=reasonloom,public") as connection:
        connection.execute(NOTED)
    mean = "mean strength 1.0000 before, 0.7408 after\n"  # exp(-0.03 * 10)
    assert run("memory", "decay", "--dry-run") == "memories that would lose strength: 2\n" + mean
    assert (strength(""), strength("guest")) == ("1.0000", "1.0000")
    assert run("memory", "decay", "--user", "guest") == "memories that lost strength: 1\n" + mean
    assert (strength(""), strength("guest")) == ("1.0000", "0.7408")
    said = run("memory", "decay")
    assert said.startswith("memories that lost strength: 2\n")  # guest's by what a moment takes
    assert (strength(""), strength("guest")) == ("0.7408", "0.7408")
    assert run("memory", "decay", "--user", "nobody") == "memories that lost strength: 0\n"
