"""`reasonloom runs fork`: what a person sees of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.prompts.registry import PACKAGED
from tests.cli.test_commands import FACT, Run, run
from tests.support.calls import call

__all__ = ["run"]

BETTER = {**FACT, "content": "Green tea is in the red tin by the window."}


@pytest.fixture
async def origin(engine: Engine) -> str:
    """The run of a question, asked by an engine here: a command of its own takes seconds."""
    await call(engine, "remember", FACT)
    outcome = await call(engine, "reasoning_linear", {"content": "Where is the green tea?"})
    return str(outcome.answer["run_id"])


def test_a_fork_prints_both_answers_and_their_difference(run: Run, origin: str) -> None:
    assert run("call", "remember", json.dumps(BETTER)).returncode == 0
    done = run("runs", "fork", origin, "--at", "recall_context", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["origin"]["run_id"] == origin
    assert found["origin"]["answer"]["content"].startswith("“Green tea is in the tin.” (mem-")
    assert "by the window" in found["fork"]["answer"]["content"]
    assert any("by the window" in line for line in found["difference"] if line[:1] == "+")
    assert found["fork"]["prompts"][0]["prompt"] == "linear/continue"
    shown = json.loads(run("runs", "show", found["fork"]["run_id"], "--json").stdout)
    assert shown["fork"] == {"origin": origin, "at": "recall_context", "prompts": {}}
    drawn = run("runs", "fork", origin, "--at", "recall_context").stdout
    assert f"origin  {origin}  done  offline  linear/continue v3" in drawn
    assert "+“Green tea is in the red tin by the window.”" in drawn
    same = run("runs", "fork", origin, "--at", "keep_thought").stdout
    assert "none: both answers are the same" in same


def test_another_version_of_a_prompt_is_named(run: Run, origin: str, tmp_path: Path) -> None:
    place = tmp_path / "prompts" / "linear"
    place.mkdir(parents=True)
    text = (PACKAGED / "linear/continue.v1.md").read_text().replace("version: 1", "version: 3")
    (place / "continue.v3.md").write_text(text)
    folder = {"REASONLOOM_PROMPTS": str(tmp_path / "prompts")}
    fork = ("runs", "fork", origin, "--at", "continue_thought", "--json", "--prompt")
    for version in (1, 3):
        done = run(*fork, f"linear/continue={version}", **folder)
        assert json.loads(done.stdout)["fork"]["prompts"][0]["version"] == version
    done = run(*fork, "backtrack/explore=1")
    assert json.loads(done.stdout)["notes"][-1] == "the fork did not use backtrack/explore"


def test_what_is_wrong_is_said_in_one_line(run: Run, origin: str) -> None:
    fork = ("runs", "fork", origin, "--at")
    for arguments, told in (
        (("runs", "fork", "nonsense", "--at", "x"), "Run not found: nonsense"),
        ((*fork, "x"), "has no step x; it has recall_context, continue_thought, keep_thought"),
        ((*fork, "keep_thought", "--prompt", "linear/continue"), "must be NAME=VERSION"),
        ((*fork, "keep_thought", "--prompt", "linear/continue=9"), "has no version 9; it has 1"),
        ((*fork, "keep_thought", "--llm", "nonsense"), "REASONLOOM_LLM"),
    ):
        done = run(*arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1
    other = run("runs", "fork", origin, "--at", "keep_thought", REASONLOOM_USER="somebody else")
    assert other.stderr == f"reasonloom: Run not found: {origin}\n"
