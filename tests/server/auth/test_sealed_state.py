"""The state of an unfinished call lies with the client, who can neither read nor change it."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.support.clients.authenticated import Asker
from tests.support.clients.processes import WITH_FIXTURES, Web, web

ROUNDS = "test_input_required_result_multi_round"
KEY = "a-key-of-at-least-thirty-two-bytes"
NAME = "Ada Lovelace of London"
ABLE: dict[str, Any] = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
INVALID_PARAMS = -32602
STEP = 7
"""Every so many characters of the state one is changed."""


@pytest.fixture(scope="module", params=["", KEY], ids=["own key", "shared key"])
def server(
    request: pytest.FixtureRequest,
    shared_env: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Web]:
    env = {**shared_env, "REASONLOOM_STATE_KEYS": request.param}
    folder = tmp_path_factory.mktemp("sealed") / "cwd"
    with web(env, folder, WITH_FIXTURES) as running:
        yield running


def call_asking_twice(
    who: Asker, state: str | None = None, **replies: dict[str, str]
) -> dict[str, Any]:
    """Call the tool that asks twice; return the whole answer."""
    more: dict[str, Any] = {} if state is None else {"requestState": state}
    if replies:
        answers = {step: {"action": "accept", "content": each} for step, each in replies.items()}
        more["inputResponses"] = answers
    return who.ask("tools/call", name=ROUNDS, arguments={}, _meta=dict(ABLE), **more)


def readings(state: str) -> Iterator[bytes]:
    """Yield what a curious client may make of a state: as it is, and each part decoded."""
    yield state.encode()
    for part in (state, *state.split(".")):
        with suppress(binascii.Error, ValueError):
            yield base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        with suppress(ValueError):
            yield bytes.fromhex(part)


def test_a_state_can_neither_be_read_nor_changed(server: Web) -> None:
    who = Asker(server.url, None)
    first = call_asking_twice(who)["result"]["requestState"]
    state = call_asking_twice(who, first, step1={"name": NAME})["result"]["requestState"]
    for reading in readings(state):
        assert b"Lovelace" not in reading, "the state can be read"
    for place in range(0, len(state) - 1, STEP):  # the last one may hold bits that nobody reads
        other = "A" if state[place] != "A" else "B"
        spoilt = f"{state[:place]}{other}{state[place + 1 :]}"
        answer = call_asking_twice(who, spoilt, step2={"color": "blue"})
        assert answer.get("error", {}).get("code") == INVALID_PARAMS, "a changed state was taken"
    done = call_asking_twice(who, state, step2={"color": "blue"})["result"]
    assert f"{NAME} likes blue." in json.dumps(done)
