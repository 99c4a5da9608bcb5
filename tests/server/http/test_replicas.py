"""Two servers behind a balancer that sends each request to another one than the last."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import SettingMistake
from reasonloom.settings import load_settings
from tests.support.clients.processes import LEGACY, WITH_FIXTURES, Web, answer_of, initialize, web

MODERN = "2026-07-28"
RESERVED = "io.modelcontextprotocol"
KEY = "a-key-that-two-replicas-share-0001"
OTHER = "another-key-that-came-after-it-0002"
ROUNDS = "test_input_required_result_multi_round"


class Balanced:
    """A client whose every request another replica answers."""

    def __init__(self, *replicas: Web) -> None:
        self._next = cycle(replicas)
        self._number = 0

    def ask(self, revision: str, method: str, **params: Any) -> dict[str, Any]:
        """Send a request to the replica whose turn it is; return its answer."""
        self._number += 1
        headers = {"mcp-protocol-version": revision}
        if revision == MODERN:
            headers |= {"mcp-method": method}
            headers |= {"mcp-name": params["name"]} if "name" in params else {}
            params["_meta"] = {
                f"{RESERVED}/protocolVersion": MODERN,
                f"{RESERVED}/clientCapabilities": {"elicitation": {}},
            }
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        answer = next(self._next).post(json.dumps(message).encode(), **headers)
        assert "mcp-session-id" not in answer.headers
        return answer_of(answer)

    def call(self, revision: str, name: str, **more: Any) -> dict[str, Any]:
        """Call a tool; return the answer."""
        return self.ask(revision, "tools/call", **{"name": name, "arguments": {}, **more})


def replicas(
    env: dict[str, str], folder: Path, first: dict[str, str], second: dict[str, str]
) -> Iterator[Balanced]:
    """Yield a client of two servers with settings of their own."""
    flags = ("--stateless", WITH_FIXTURES)
    with (
        web({**env, **first}, folder / "first", *flags) as one,
        web({**env, **second}, folder / "second", *flags) as two,
    ):
        yield Balanced(one, two)


@pytest.fixture(scope="module")
def balanced(
    shared_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Balanced]:
    """Two replicas in the middle of a change of keys."""
    yield from replicas(
        shared_env,
        tmp_path_factory.mktemp("balanced"),
        {"REASONLOOM_STATE_KEYS": f"{KEY},{OTHER}"},
        {"REASONLOOM_STATE_KEYS": f"{OTHER},{KEY}"},
    )


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_whatever_one_replica_keeps_the_other_finds(balanced: Balanced, revision: str) -> None:
    if revision == LEGACY:
        said = balanced.ask(LEGACY, "initialize", **initialize())
        assert said["result"]["protocolVersion"] == LEGACY
        assert balanced.ask(LEGACY, "ping")["result"] == {}
    word = uuid.uuid4().hex
    place = {LEGACY: "The {} is in the cellar.", MODERN: "Anna bought a boat called {}."}[revision]
    memory = {
        "content": place.format(word), "userId": "local", "sessionId": "s",
        "primarySector": "semantic",
    }  # fmt: skip
    stored = balanced.call(revision, "remember", arguments=memory)
    assert stored["result"]["isError"] is False
    for _ in range(2):
        wanted = {"userId": "local", "text": word, "limit": 1}
        found = balanced.call(revision, "recall", arguments=wanted)["result"]
        assert word in found["structuredContent"]["data"]["memories"][0]["content"]


def rounds(client: Balanced) -> dict[str, Any]:
    """Answer what a call asks for until it is finished or refused; return the last answer."""
    first = client.call(MODERN, ROUNDS)["result"]
    name = {"step1": {"action": "accept", "content": {"name": "Ada"}}}
    second = client.call(MODERN, ROUNDS, inputResponses=name, requestState=first["requestState"])
    if "error" in second:
        return second
    color = {"step2": {"action": "accept", "content": {"color": "blue"}}}
    return client.call(
        MODERN, ROUNDS, inputResponses=color, requestState=second["result"]["requestState"]
    )


def test_what_one_replica_asks_the_other_takes_up(balanced: Balanced) -> None:
    for _ in range(2):  # each of them begins once
        assert rounds(balanced)["result"]["content"][0]["text"] == "Ada likes blue."
        balanced.ask(MODERN, "tools/list")


def test_without_shared_keys_what_another_process_has_sealed_is_refused(
    shared_env: dict[str, str], tmp_path: Path
) -> None:
    for client in replicas(shared_env, tmp_path, {}, {"REASONLOOM_STATE_KEYS": KEY}):
        assert rounds(client)["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("keys", "told"),
    [("short", "each key must have 32 bytes or more"), (f"{KEY},{KEY}", "a key occurs twice")],
)
def test_keys_that_cannot_be_used_stop_the_start_and_are_not_shown(keys: str, told: str) -> None:
    with pytest.raises(SettingMistake) as caught:
        load_settings(state_keys=keys)
    assert caught.value.message == f"REASONLOOM_STATE_KEYS: {told}"
    assert KEY not in repr(load_settings(state_keys=KEY))
