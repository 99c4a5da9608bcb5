"""Every command with a wrong flag; every list in JSON, in a pipe, and on a narrow terminal.

The commands run in this process, on one database: a process for each would take minutes.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.text import Text

from reasonloom.cli.app import main
from reasonloom.cli.command_tree import LazyGroup
from reasonloom.graphs.runs.engine import Engine
from tests.cli.test_command_tree import ROOT
from tests.cli.test_usage_errors import NOWHERE
from tests.support.calls import call
from tests.support.databases.postgres import TestPostgres

LONG = "Grüner Tee 🍵 „steht“ in der Dose, " * 8
NARROW = 40
TABLES: tuple[tuple[str, ...], ...] = (
    ("runs", "list"), ("session", "list"), ("memory", "list"), ("memory", "search", "Tee"),
    ("memory", "health"), ("models", "list"), ("history", "projects"), ("doctor",),
)  # fmt: skip
READS = (
    *TABLES,
    ("runs", "show", "{run}"), ("session", "show", "{session}"), ("memory", "show", "1"),
    ("memory", "basins"), ("memory", "review"), ("memory", "decay", "--dry-run"),
    ("memory", "cluster", "--dry-run"), ("memory", "consolidate", "--dry-run"),
    ("history", "undo"), ("hooks", "status"), ("db", "status"), ("db", "maintain"),
    ("models", "propose"), ("db", "reindex", "--dry-run"),
)  # fmt: skip

OTHERS = (
    ("worker",), ("answer", "x"), ("backup", "{folder}/b"),
    ("db", "reindex"), ("db", "upgrade"), ("runs", "resume", "x"),
    ("runs", "fork", "x", "--at", "y"), ("graph", "run", "x"), ("graph", "show", "x"),
    ("memory", "edit", "1", "--tag", "x"), ("memory", "export", "-"), ("memory", "import", "-"),
    ("memory", "rollback", "--writer", "x", "--since", "2026-01-31T10:30:00Z"),
    ("memory", "restore", "mem-1"), ("models", "show", "x"), ("models", "activate", "x"),
    ("models", "deprecate", "x"), ("history", "purge"), ("history", "ingest", "{folder}/t.jsonl"),
    ("history", "sessions", "x"), ("history", "show", "x"), ("history", "search", "x"),
    ("space", "list"), ("space", "create", "x"), ("space", "grant", "me/x", "anna"),
    ("space", "revoke", "me/x", "anna"), ("space", "audit"), ("space", "erase", "anna", "--yes"),
    ("team", "list"), ("team", "create", "x"), ("team", "add", "x", "anna"),
    ("team", "remove", "x", "anna"),
    ("team", "leave", "x"), ("team", "members", "x"), ("jobs", "list"), ("jobs", "retry", "1"),
)  # fmt: skip
"""The other commands that open a database, with arguments that are valid."""

LOGGED = re.compile(r"20\d\d-\d\d-\d\dT\S+ +\w+ +reasonloom\.")
"""A line of the log, which servers and workers write besides."""

ELSEWHERE = {
    "serve", "connect", "studio", "call", "demo", "bench", "capacity", "restore", "import",
    "install", "uninstall", "print-config", "completion", "hook", "db stop", "graph plans",
    "hooks install", "hooks uninstall", "owner show", "owner move",
}  # fmt: skip
"""Commands that open no database, serve without one, or have tests of their own for this."""

WITHOUT_DATABASE = ("eval", "prompts", "tokens")
"""Groups of commands that open no database of the user's."""


@dataclass
class Typed:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


Type = Callable[..., Typed]


class Terminal(io.TextIOWrapper):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def type_(monkeypatch: pytest.MonkeyPatch) -> Type:
    """Run a command in this process; its output has this encoding, and may be a terminal."""

    def command(*words: str, encoding: str = "utf-8", terminal: bool = False) -> Typed:
        written = [io.BytesIO(), io.BytesIO()]
        kind = Terminal if terminal else io.TextIOWrapper
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["reasonloom", *words])
            patch.setattr(sys, "stdin", io.StringIO())
            patch.setattr(sys, "stdout", kind(written[0], encoding=encoding, write_through=True))
            error = io.TextIOWrapper(written[1], encoding=encoding, write_through=True)
            patch.setattr(sys, "stderr", error)
            with pytest.raises(SystemExit) as ended:
                main()
            out, err = (each.getvalue().decode(encoding) for each in written)
        return Typed(int(ended.value.code or 0), out, err)

    return command


@pytest.fixture
async def filled(
    engine: Engine, postgres: TestPostgres, database: str, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """A database with some memories, a session and runs; return the beginnings of their ids."""
    fact = {"content": LONG, "userId": "local", "sessionId": "s", "primarySector": "semantic"}
    for number in range(3):
        await call(engine, "remember", {**fact, "content": f"{number} {LONG}"})
    outcome = await call(engine, "reasoning_linear", {"content": LONG})
    await engine.at_rest()
    await engine.loom.journal.flush()
    monkeypatch.setenv("DATABASE_URL", postgres.address.dsn("postgres", database))
    answer = outcome.answer
    return {"run": str(answer["run_id"])[:8], "session": str(answer["session_id"])[:8]}


def commands() -> Iterator[tuple[str, ...]]:
    assert isinstance(ROOT, LazyGroup)
    for name, command in ROOT.commands.items():
        if isinstance(command, LazyGroup):
            yield from ((name, below) for below in command.commands)
        else:
            yield (name,)


@pytest.mark.parametrize("words", [each for each in commands() if each != ("hook",)], ids=" ".join)
def test_a_wrong_flag_is_one_line_that_names_the_right_one(
    type_: Type, words: tuple[str, ...]
) -> None:
    done = type_(*words, "--hellp")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("reasonloom: No such option: --hellp. Did you mean --")
    assert done.err.endswith(f"? See `reasonloom {' '.join(words)} --help`.\n")
    assert done.err.count("\n") == 1


def test_lists_are_json_plain_in_pipes_and_fit_a_narrow_terminal(
    type_: Type, filled: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(NARROW))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for template in READS:
        words = [each.format(**filled) for each in template]
        piped = type_(*words, encoding="iso-8859-1")
        assert (piped.code, piped.err) == (0, ""), (words, piped)
        assert "\x1b" not in piped.out
        done = type_(*words, "--json", encoding="ascii")
        values = [json.loads(done.out)] if done.out.startswith(("{\n", "[\n")) else [
            json.loads(line) for line in done.out.splitlines()
        ]  # fmt: skip
        assert (done.code, done.err) == (0, ""), (words, done)
        assert all(isinstance(each, dict | list) for each in values)
    for table in TABLES:
        drawn = type_(*table, terminal=True)
        lines = Text.from_ansi(drawn.out).plain.splitlines()
        assert drawn.code == 0
        assert [line for line in lines if cell_len(line.rstrip()) > NARROW] == [], table
    assert "\x1b" in type_("runs", "list", terminal=True).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in type_("runs", "list", terminal=True).out


def test_whole_ids_are_piped_and_their_beginnings_are_drawn_and_taken(
    type_: Type, filled: dict[str, str]
) -> None:
    assert len(type_("session", "list").out.splitlines()[1].split()[1]) == 36
    assert f" {filled['session']} " in type_("session", "list", terminal=True).out
    assert type_("session", "show", filled["session"]).out.startswith("session ")
    assert type_("session", "show", "0" * 8).err == "reasonloom: Session not found: 00000000\n"


def test_every_command_is_tried_without_its_database() -> None:
    tried = {" ".join(words[:2]) for words in (*READS, *OTHERS)}
    tried |= {words[0] for words in (*READS, *OTHERS)}
    for words in commands():
        assert " ".join(words) in tried | ELSEWHERE or words[0] in WITHOUT_DATABASE, words


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_help_fits_a_narrow_terminal_without_colour_in_the_c_locale(
    type_: Type, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(NARROW))
    monkeypatch.setenv("NO_COLOR", "1")
    done = type_(*words, "--help", encoding="ascii", terminal=True)
    assert (done.code, done.err) == (0, "")
    lines = Text.from_ansi(done.out).plain.splitlines()
    assert [line for line in lines if cell_len(line.rstrip()) > NARROW] == []
    assert "\x1b[3" not in done.out


def test_an_unreachable_database_is_one_line(
    type_: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", NOWHERE)
    (tmp_path / "t.jsonl").write_text("{}\n")
    unlike: dict[str, Typed] = {}
    for template in (*READS, *OTHERS):
        words = [each.format(run="x", session="x", folder=tmp_path) for each in template]
        done = type_(*words)
        errors = [line for line in done.err.splitlines() if LOGGED.match(line) is None]
        wrong = len(errors) != 1 or not errors[0].startswith("reasonloom: ")
        if done.code != 1 or (wrong and words != ["doctor"]) or "Traceback" in done.out:
            unlike[" ".join(words)] = done
    assert unlike == {}


def test_a_file_that_is_missing_or_cannot_be_written_is_one_line(
    type_: Type, tmp_path: Path, filled: dict[str, str]
) -> None:
    missing = str(tmp_path / "missing" / "file")
    for words in (
        ("memory", "import", missing), ("memory", "export", missing), ("backup", missing),
        ("restore", missing), ("history", "ingest", missing), ("answer", "x", "--replies", missing),
        ("memory", "review", "--apply", missing),
        ("graph", "run", "x", "--plan", f"{missing}.json"),
    ):  # fmt: skip
        done = type_(*words)
        assert done.code in (1, 2), (words, done)
        assert done.err.count("\n") == 1, (words, done)
        assert missing not in done.err or words[0] == "history"


def test_a_memory_is_found_changed_and_found_again(type_: Type, filled: dict[str, str]) -> None:
    assert type_("memory", "edit", "mem-1", "--content", "The kettle is blue.").code == 0
    found = json.loads(type_("memory", "search", "What colour has the kettle?", "--json").out)
    assert found["memories"][0]["content"] == "The kettle is blue."
    assert type_("memory", "edit", "1", "--tag", "kitchen", "--strength", "0.5").code == 0
    shown = json.loads(type_("memory", "show", "mem-1", "--json").out)
    assert (shown["tags"], shown["strength"]) == (["kitchen"], 0.5)
    [listed] = type_("memory", "list", "--tag", "kitchen", "--json").out.splitlines()
    assert json.loads(listed)["id"] == "mem-1"
    assert "an editor needs a terminal" in type_("memory", "edit", "1").err
    assert "--sector: must be one of" in type_("memory", "list", "--sector", "x").err


def test_completion_scripts_are_printed_for_three_shells(type_: Type) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_REASONLOOM_COMPLETE" in type_("completion", shell).out
    assert "'bash', 'zsh', 'fish'" in type_("completion", "tcsh").err
