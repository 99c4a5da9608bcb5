"""`reasonloom answer`: a person, or a program, is the model that a waiting run asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reasonloom.graphs.runs.engine import Engine
from tests.cli.test_commands import Run, run
from tests.support.calls import call

__all__ = ["run"]

THOUGHT = {"thought": "Ask the miller.", "confidence": 0.8}


@pytest.fixture
async def waiting(engine: Engine) -> str:
    """A run that asks one question."""
    outcome = await call(
        engine, "reasoning_linear", {"content": "Who knows the mill?"}, asks_caller=True
    )
    return str(outcome.run_id)


def test_replies_from_a_file(run: Run, waiting: str, tmp_path: Path) -> None:
    file = tmp_path / "replies.json"
    file.write_text(json.dumps([{"id": "r1q1", "reply": {"thought": "x"}}]))
    again = json.loads(run("answer", waiting, "--replies", str(file)).stdout)
    assert again["questions"][0]["error"].startswith("confidence: is required")
    file.write_text(json.dumps([{"id": "r1q1", "reply": THOUGHT}]))
    done = json.loads(run("answer", waiting, "--replies", str(file)).stdout)
    assert done["content"] == THOUGHT["thought"]
    assert json.loads(run("runs", "show", waiting, "--json").stdout)["status"] == "done"


@pytest.mark.parametrize("text", ["", "{}", "[3]", '[{"id": "r1q1"}]', '[{"reply": "x"}]'])
def test_a_file_of_another_form_is_refused(
    run: Run, waiting: str, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "replies.json"
    file.write_text(text)
    done = run("answer", waiting, "--replies", str(file))
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "replies" in done.stderr or "answers" in done.stderr


def test_the_end_of_input_declines_nothing(run: Run, waiting: str) -> None:
    short = waiting[:8]
    done = run("answer", short)
    assert done.returncode == 2
    assert "r1q1 has no reply; the run waits" in done.stderr
    assert json.loads(run("runs", "show", short, "--json").stdout)["status"] == "waiting"
    assert json.loads(run("runs", "resume", short).stdout)["questions"][0]["id"] == "r1q1"
