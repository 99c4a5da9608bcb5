"""Progress as it goes over the wire: what it is of, by the run's id, on both transports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.processes import environment, spoken, web
from tests.support.databases.postgres import TestPostgres

RUN = "io.reasonloom/run-id"
PARAMS = {
    "name": "reasoning_linear",
    "arguments": {"content": "Who keeps the lantern?"},
    "_meta": {"progressToken": "token 7"},
}


@pytest.fixture
def env(postgres: TestPostgres, database: str, tmp_path: Path) -> dict[str, str]:
    return environment(
        tmp_path / "home",
        REASONLOOM_TOOLSETS="classic",
        DATABASE_URL=postgres.address.dsn("postgres", database),
    )


def over_stdio(env: dict[str, str], folder: Path) -> list[dict[str, Any]]:
    with spoken(env, folder) as server:
        answer = server.request("tools/call", PARAMS)
        page = run_page(server.request("resources/read", uri_of(server.others[0]))["result"])
        assert answer["result"]["isError"] is False
        assert "Who keeps the lantern?" in page
        return [each for each in server.others if each["method"] == "notifications/progress"]


def over_http(env: dict[str, str], folder: Path) -> list[dict[str, Any]]:
    with web(env, folder) as server:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": PARAMS}
        server.exchange(b'{"jsonrpc":"2.0","id":0,"method":"ping"}')
        assert server._session
        text = server.post(json.dumps(message).encode(), **server._session).text
        events = [line[6:] for line in text.split("\n") if line.startswith("data: {")]
        heard = [json.loads(each) for each in events]
        read = {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": uri_of(heard[0])}
        assert "lantern" in run_page(server.exchange(json.dumps(read).encode())["result"])
        return [each for each in heard if each.get("method") == "notifications/progress"]


def uri_of(note: dict[str, Any]) -> dict[str, str]:
    return {"uri": f"reasonloom://run/{note['params']['_meta'][RUN]}"}


def run_page(result: dict[str, Any]) -> str:
    return str(result["contents"][0]["text"])


@pytest.mark.parametrize("heard", [over_stdio, over_http])
def test_each_step_tells_the_run_that_it_is_of(
    env: dict[str, str], tmp_path: Path, heard: Any
) -> None:
    notes = [note["params"] for note in heard(env, tmp_path / "cwd")]
    assert len(notes) > 1
    assert {note["progressToken"] for note in notes} == {"token 7"}
    assert len({note["_meta"][RUN] for note in notes}) == 1
    assert [note["progress"] for note in notes] == sorted({note["progress"] for note in notes})
    assert all(note["message"] for note in notes)
