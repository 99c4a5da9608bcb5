"""`reasonloom eval add-case`: a run that went wrong becomes an item, as a person does it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from reasonloom.cli.app import app
from reasonloom.contracts.caller import Caller
from reasonloom.errors import CallerMistake
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.runs import runs
from tests.cli.test_commands import FACT
from tests.support.calls import call
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import Chatting, chatting
from tests.support.runs.forks import MARK, next_versions, row_of

QUESTION = "Which tin holds the green tea: 赤 or blue?"
RIGHT, WRONG = "The red tin, 赤, holds it.", "The blue tin holds it."


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    status: int
    stdout: str
    refusal: str = ""


Run = Callable[..., Done]


@pytest.fixture
def run(
    postgres: TestPostgres, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run a command in this process, against this test's database: a process of its own is slow."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", postgres.address.dsn("postgres", database))

    def command(*arguments: str, **more: str) -> Done:
        result = CliRunner().invoke(app, list(arguments), env=more)
        if isinstance(result.exception, CallerMistake):
            return Done(2, result.stdout, result.exception.message)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return Done(result.exit_code, result.stdout, result.stderr)

    return command


def say(system: str, user: str) -> str:
    """Answer right where the third version of the prompt is asked."""
    return json.dumps({"thought": RIGHT if MARK in system else WRONG, "confidence": 0.9})


@pytest.fixture
def llm() -> Iterator[Chatting]:
    with chatting(say) as server:
        yield server


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_bad_run_is_shown_forked_made_a_case_and_asked_again(
    run: Run, llm: Chatting, tmp_path: Path
) -> None:
    folder = next_versions(tmp_path / "prompts", "linear/continue")
    told = {**llm.settings, "REASONLOOM_PROMPTS": str(folder)}
    called = run("call", "reasoning_linear", json.dumps({"content": QUESTION}), **llm.settings)
    answer = json.loads(called.stdout)
    assert answer["content"] == WRONG
    bad = answer["run_id"]
    assert json.loads(run("runs", "show", bad, "--json").stdout)["status"] == "done"
    fork = ("runs", "fork", bad, "--at", "continue_thought", "--prompt", "linear/continue=4")
    forked = json.loads(run(*fork, "--json", **told).stdout)["fork"]
    assert forked["answer"]["content"] == RIGHT
    cases = tmp_path / "cases.jsonl"
    added = run(
        "eval", "add-case", bad, "--suite", str(cases), "--target-from", forked["run_id"],
        "--cluster", "tea",
    )  # fmt: skip
    assert added.status == 0, added.refusal
    assert "has 1 case of reasoning_linear" in added.stdout
    (case,) = lines(cases)
    origin = case.pop("origin")
    assert case == {
        "id": bad,
        "tool": "reasoning_linear",
        "input": {"content": QUESTION},
        "target": RIGHT,
        "cluster": "tea",
    }
    assert (origin["run"], origin["target_from"]) == (bad, forked["run_id"])
    assert origin["llm"] == "litellm:openai/gpt-4o-mini"
    assert origin["prompts"]["linear/continue"]["version"] == 3
    both = ("--prompt", "linear/continue=1", "--prompt", "linear/continue=4")
    done = run("eval", "run", str(cases), "--scorer", "contains", *both, "--json", **told)
    assert done.status == 0, done.refusal
    found = json.loads(done.stdout)
    assert [each["scores"]["contains"]["mean"] for each in found["runs"]] == [0.0, 1.0]
    assert found["runs"][0]["system"]["tool"] == "reasoning_linear"
    assert [flip["item"] for flip in found["comparison"]["compared"][0]["flips"]["to_right"]] == [
        bad
    ]


@pytest.fixture
async def made(engine: Engine) -> dict[str, str]:
    """Runs by what they are good for."""
    first = await call(engine, "reasoning_linear", {"content": QUESTION})
    other = await call(engine, "reasoning_linear", {"content": "Another question?"})
    session = str(first.answer["session_id"])
    further = {"content": "And now?", "session_id": session}
    second = await call(engine, "reasoning_linear", further)
    thought = await call(engine, "think", {"problem": "Where is the tea?", "mode": "analytical"})
    kept = await call(engine, "remember", FACT)
    found = {
        "first": first, "other": other, "second": second, "think": thought, "remember": kept,
    }  # fmt: skip
    ids = {name: str(outcome.run_id) for name, outcome in found.items()}
    row = replace(await row_of(engine, ids["first"]), id=uuid4(), status=runs.RUNNING)
    async with engine.loom.database.begin(Caller("local")) as tx:
        assert await runs.record(tx, row)
    ids["running"] = str(row.id)
    return ids


def test_what_cannot_be_a_case_is_refused_and_nothing_is_written(
    run: Run, made: dict[str, str], tmp_path: Path
) -> None:
    cases = tmp_path / "cases.jsonl"
    first, other = made["first"], made["other"]
    right = ("--target", RIGHT)
    for run_id, options, told in (
        ("nonsense", right, "Run not found: nonsense"),
        (first, (), "target: say what would have been right, by --target TEXT or by"),
        (first, (*right, "--target-from", other), "target: say what would have been right"),
        (first, ("--target-from", other), f"run {other} asked something else than run {first}"),
        (made["running"], right, "is running and has no end yet; `reasonloom runs resume"),
        (first, ("--target-from", made["running"]), "is running and has no answer to be right"),
        (made["second"], right, "went on with a session"),
        (made["remember"], right, "called remember, which no eval asks; a case is"),
        (first, (*right, "--id", "x" * 201), "id: must have up to 200 characters"),
    ):
        done = run("eval", "add-case", run_id, "--suite", str(cases), *options)
        assert (done.status, told in done.refusal) == (2, True), (options, done.refusal)
    foreign = run(
        "eval", "add-case", first, "--suite", str(cases), *right, REASONLOOM_USER="somebody else"
    )
    assert foreign.refusal == f"Run not found: {first}"
    assert not cases.exists()


def test_no_case_twice_and_no_two_tools(run: Run, made: dict[str, str], tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    add = ("--suite", str(cases), "--target", RIGHT)
    assert run("eval", "add-case", made["first"], *add, "--id", "tea").status == 0
    cases.write_text(cases.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    before = cases.read_bytes()
    for run_id, options, told in (
        (made["first"], (), "line 1: the case tea asks the same already"),
        (made["other"], ("--id", "tea"), "line 1: the id tea is taken; name another by --id"),
        (made["think"], (), "is of reasoning_linear, and the run called think; name another file"),
    ):
        done = run("eval", "add-case", run_id, *add, *options)
        assert (done.status, told in done.refusal) == (2, True), done.refusal
    assert cases.read_bytes() == before
    assert run("eval", "add-case", made["other"], *add).status == 0
    assert [case["id"] for case in lines(cases)] == ["tea", made["other"]]
    own = run("eval", "add-case", made["think"], "--target", RIGHT)
    assert own.status == 0, own.refusal
    assert len(lines(tmp_path / "home" / "cases" / "think.jsonl")) == 1
