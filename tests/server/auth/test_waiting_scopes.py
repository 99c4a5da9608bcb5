"""A token that allows a tool allows to answer its runs, and those of no other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.auth.test_tokens import Team, run
from tests.support.clients.processes import environment, web
from tests.support.databases.postgres import TestPostgres

ANSWERING = {"reasoning_answer", "reasoning_waiting"}


@pytest.fixture(scope="module")
def asking_team(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    home = tmp_path_factory.mktemp("team")
    with postgres.clone() as name:
        env = environment(
            home, DATABASE_URL=postgres.address.dsn("postgres", name),
            REASONLOOM_TOOLSETS="classic",
            REASONLOOM_TOKENS=str(home / "tokens"), REASONLOOM_LLM="caller",
        )  # fmt: skip
        run(env, "tokens", "new", "nobody", "--scope", "read:thought")
        with web(env, home / "cwd") as server:
            yield Team(env, server)


def test_runs_are_answered_within_the_scopes(asking_team: Team) -> None:
    thinking = asking_team.asker("eva", "--scope", "write:thought")
    reasoning = asking_team.asker("eva", "--scope", "write:reasoning")
    reading = asking_team.asker("eva", "--scope", "read:history")
    assert thinking.tools() >= ANSWERING
    assert reasoning.tools() >= ANSWERING
    assert not ANSWERING & reading.tools()
    asked = reasoning.call("reasoning_linear", content="Who knows the mill?")
    run_id = asked["structuredContent"]["run_id"]
    answers = [{"id": "r1q1", "reply": {"thought": "The miller.", "confidence": 0.5}}]
    foreign = asking_team.asker("ada", "--scope", "write")
    for other in (thinking, foreign):
        refused = other.call("reasoning_answer", run_id=run_id, answers=answers)
        assert refused["isError"]
        assert other.call("reasoning_waiting")["structuredContent"]["runs"] == []
        assert other.call("reasoning_waiting", run_id=run_id)["isError"]
    assert (
        "does not allow" in reading.ask("tools/call", name="reasoning_answer")["error"]["message"]
    )
    (listed,) = reasoning.call("reasoning_waiting")["structuredContent"]["runs"]
    assert listed["run_id"] == run_id
    done = reasoning.call("reasoning_answer", run_id=run_id, answers=answers)
    assert done["structuredContent"]["content"] == "The miller."
