"""A request that is malformed is answered by the field, what is wrong with it and its form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.stdio.test_protocol import MODERN, RESERVED
from tests.support.clients.processes import LEGACY, Spoken, Web, answer_of, initialize

INVALID_PARAMS = -32602
Ask = Callable[[str, dict[str, Any]], dict[str, Any]]
TOKEN = "_meta.progressToken: must be a string or a whole number"
CURSOR = "cursor: this server does not page its lists; leave it out"
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
ENVELOPE = {
    f"{RESERVED}/protocolVersion": MODERN,
    f"{RESERVED}/clientCapabilities": {},
    f"{RESERVED}/clientInfo": {"name": "tests", "version": "1"},
}


def enveloped(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as the revision without a handshake wants them."""
    return {**params, "_meta": {**ENVELOPE, **params.get("_meta", {})}}


def over_http(site: Web, revision: str) -> Ask:
    def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": "x", "method": method, "params": params}
        if revision == LEGACY:
            return site.exchange(json.dumps(message).encode())
        headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
        for name in ("name", "uri"):
            if isinstance(params.get(name), str):
                headers["mcp-name"] = params[name]
        body = json.dumps({**message, "params": enveloped(params)}).encode()
        return answer_of(site.post(body, **headers))

    return ask


@pytest.fixture(
    scope="module",
    params=[(way, revision) for way in ("stdio", "http") for revision in (LEGACY, MODERN)],
    ids="-".join,
)
def ask(
    request: pytest.FixtureRequest,
    every_tool: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Ask]:
    """Asks a server over each transport in each revision."""
    way, revision = request.param
    if way == "http":
        yield over_http(request.getfixturevalue("site"), revision)
        return
    server = Spoken(every_tool, tmp_path_factory.mktemp("malformed") / "cwd")
    try:
        if revision == LEGACY:
            server.handshake()
            yield server.request
        else:
            yield lambda method, params: server.request(method, enveloped(params))
    finally:
        server.stop()


def mistake(answer: dict[str, Any]) -> str:
    """Return what an error says, which must be one of malformed parameters alone."""
    assert answer["error"]["code"] == INVALID_PARAMS, answer
    assert "data" not in answer["error"]
    return str(answer["error"]["message"])


@pytest.mark.parametrize("cursor", ["x", "", "eyJwYWdlIjoyfQ==", 7])
@pytest.mark.parametrize("method", LISTS)
def test_a_cursor_that_nobody_gave_out_is_refused(ask: Ask, method: str, cursor: Any) -> None:
    assert mistake(ask(method, {"cursor": cursor})) == CURSOR


@pytest.mark.parametrize("method", LISTS)
def test_a_list_comes_whole_where_no_cursor_is_given(ask: Ask, method: str) -> None:
    for params in ({}, {"cursor": None}):
        assert "nextCursor" not in ask(method, params)["result"]


@pytest.mark.parametrize("token", [1.5, 1.0, None, [], {}, True])
def test_a_progress_token_that_is_none_is_refused(ask: Ask, token: Any) -> None:
    params = {"name": "recall", "arguments": {"userId": "local"}}
    assert mistake(ask("tools/call", {**params, "_meta": {"progressToken": token}})) == TOKEN


@pytest.mark.parametrize("token", [0, -1, "", "x", 2**40])
def test_a_progress_token_that_is_one_is_taken(ask: Ask, token: Any) -> None:
    params = {"name": "recall", "arguments": {"userId": "local"}}
    answer = ask("tools/call", {**params, "_meta": {"progressToken": token}})
    assert answer["result"]["isError"] is False


@pytest.mark.parametrize(
    ("method", "params", "told"),
    [
        ("tools/call", {"name": "recall", "arguments": [1]}, "arguments: must be an object"),
        ("tools/call", {"name": "recall", "arguments": "{}"}, "arguments: must be an object"),
        ("tools/call", {}, "name: is missing"),
        ("prompts/get", {"name": "x", "arguments": {"a": 1}}, "arguments.a: must be a string"),
        ("completion/complete", {"argument": {"name": "a", "value": ""}}, "ref: must be {"),
        (
            "completion/complete",
            {"ref": {"type": "x"}, "argument": {"name": "a", "value": ""}},
            'ref: must be {"type": "ref/prompt", "name": "..."} or ',
        ),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "reasonloom://session/{id}"},
                "argument": {"name": "nonsense", "value": ""},
            },
            "nonsense: unknown argument; the arguments are id",
        ),
    ],
)
def test_a_malformed_field_is_named_with_its_form(
    ask: Ask, method: str, params: dict[str, Any], told: str
) -> None:
    assert mistake(ask(method, params)).startswith(told)


@pytest.mark.parametrize(("method", "field"), [("tools/call", "name"), ("resources/read", "uri")])
def test_a_name_that_is_no_string_is_named(
    speaker: Spoken, site: Web, method: str, field: str
) -> None:
    # In 2026-07-28 over HTTP the SDK answers before us: no header can agree with such a name.
    for answer in (
        speaker.request(method, {field: 3}),
        over_http(site, LEGACY)(method, {field: 3}),
    ):
        assert mistake(answer) == f"{field}: must be a string"


def test_a_request_before_the_handshake_is_told_what_comes_first(
    every_tool: dict[str, str], folder: Path
) -> None:
    server = Spoken(every_tool, folder)
    try:
        early = mistake(server.request("tools/list", {}))
        assert early == "tools/list: not before initialize, which must be the first request"
        early = mistake(server.request("tools/call", {"name": "recall"}))
        assert early == "tools/call: not before initialize, which must be the first request"
        assert mistake(server.request("initialize", {})).endswith(": is missing")
        assert "result" in server.request("initialize", initialize())
        assert server.tools()
    finally:
        server.stop()
