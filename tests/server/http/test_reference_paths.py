"""Over HTTP each reference stands at a path of its own, over the same memory and the same door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from reasonloom.contracts.toolsets import INVENTORY, SERVED_AS, reference_name
from reasonloom.server.catalogue.selection import reference_catalogues
from reasonloom.settings import load_settings
from tests.server.auth.test_tokens import Team, run
from tests.support.clients.authenticated import Asker
from tests.support.clients.processes import environment, web
from tests.support.databases.postgres import TestPostgres

AMARANTH = "The amaranth number is seven."
MERGE = "Generate many partial solutions, score each, merge the best ones and refine them."


@pytest.fixture(scope="module")
def team(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    home = tmp_path_factory.mktemp("references")
    with postgres.clone() as name:
        env = environment(
            home, DATABASE_URL=postgres.address.dsn("postgres", name),
            REASONLOOM_TOKENS=str(home / "tokens"),
        )  # fmt: skip
        run(env, "tokens", "new", "nobody", "--scope", "read:thought")
        with web(env, home / "cwd") as server:
            yield Team(env, server)


def asker(team: Team, name: str, owner: str, *flags: str) -> Asker:
    """Return a caller of one reference."""
    return Asker(f"{team.server.url}/as/{name}", team.token(owner, *flags))


@pytest.mark.parametrize(("name", "toolset"), SERVED_AS.items())
def test_each_reference_is_served_whole_under_its_own_names(
    team: Team, name: str, toolset: str
) -> None:
    who = asker(team, name, "anna")
    assert who.tools() == {reference_name(each) for each in INVENTORY[toolset]}
    assert who.ask("resources/list")["result"]["resources"] == []
    assert who.ask("prompts/list")["result"]["prompts"] == []


def test_what_is_stored_at_one_path_is_found_at_the_others_by_its_owner_alone(team: Team) -> None:
    there, here = asker(team, "thoughtmcp", "anna"), team.asker("anna")
    stored = there.call(
        "remember", content=AMARANTH, userId="anna", sessionId="s", primarySector="semantic"
    )
    assert stored["isError"] is False
    assert AMARANTH in json.dumps(here.call("recall", userId="anna", text="amaranth number"))
    for ben in (team.asker("ben"), asker(team, "thoughtmcp", "ben")):
        ben.call("recall", userId="ben", text="amaranth number")
        assert AMARANTH not in ben.said


def test_tokens_and_scopes_hold_at_each_path(team: Team) -> None:
    reader = asker(team, "thoughtmcp", "rita", "--scope", "read:thought")
    assert "recall" in reader.tools()
    assert "remember" not in reader.tools()
    refused = reader.send("tools/call", name="remember", arguments={"content": "x"})
    assert refused.status_code == 403
    nobody = Asker(reader.url, None).send("tools/list")
    assert nobody.status_code == 401


def test_what_is_no_message_is_answered_as_at_the_first_path(team: Team) -> None:
    token = team.token("anna")
    answers = [
        httpx.post(
            url, content=b'{"jsonrpc": "2.0", "id": 7, "method": NaN}', trust_env=False,
            headers={"authorization": f"Bearer {token}", "content-type": "application/json",
                     "accept": "application/json, text/event-stream"},
        )
        for url in (team.server.url, f"{team.server.url}/as/causantic")
    ]  # fmt: skip
    assert answers[0].status_code == answers[1].status_code == 400
    assert answers[0].json() == answers[1].json()
    assert answers[0].json()["id"] == 7


def test_a_reference_that_is_not_there_is_told_with_those_that_are(team: Team) -> None:
    token = team.token("anna")
    for method in ("GET", "POST", "DELETE"):
        answer = httpx.request(
            method, f"{team.server.url}/as/thoughtmpc", trust_env=False,
            headers={"authorization": f"Bearer {token}"},
        )  # fmt: skip
        assert answer.status_code == 404
        assert "thoughtmcp, agentic-memory" in answer.json()["error"]


def test_a_mode_is_advised_where_its_path_offers_it(team: Team, tmp_path: Path) -> None:
    def advised(who: Asker) -> Any:
        answer = who.call("reasoning_auto", content=MERGE)["structuredContent"]
        return answer["recommended_mode"], "does not offer it" in answer["rationale"]

    assert advised(asker(team, "langbase-reasoning", "anna")) == ("got", False)
    with web({**team.env, "REASONLOOM_TOOLSETS": "classic"}, tmp_path) as server:
        assert advised(Team(team.env, server).asker("anna")) == ("tree", True)


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ({}, set(SERVED_AS)),
        ({"toolsets": "all"}, set(SERVED_AS)),
        ({"toolsets": "history,thought"}, {"causantic", "thoughtmcp"}),
        ({"toolsets": "thought", "tools": "reasoning_tree"}, {"thoughtmcp"}),
        ({"tools": "recall"}, set()),
        ({"serve_as": "thoughtmcp"}, set()),
    ],
)
def test_a_choice_of_toolsets_is_one_of_references_too(
    choice: dict[str, Any], names: set[str]
) -> None:
    assert set(reference_catalogues(load_settings(**choice))) == names


def test_what_is_left_out_is_left_out_of_references_too() -> None:
    beside = reference_catalogues(
        load_settings(toolsets="all", read_only=True, exclude_tools="history_search,recall")
    )
    served = {name: {tool.name for tool in each.tools} for name, each in beside.items()}
    assert "list-projects" in served["causantic"]
    assert not {"search", "forget"} & served["causantic"]
    assert not {"recall", "remember"} & served["thoughtmcp"]
    assert "search" in served["thoughtmcp"]
