"""What the public suite tests over HTTP holds over stdio too, line by line, in both revisions."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.clients.processes import LEGACY, PATIENCE, WITH_FIXTURES, Spoken, initialize

MODERN = "2026-07-28"
PARSE_ERROR, NO_METHOD, INVALID_PARAMS = -32700, -32601, -32602
UNSUPPORTED_VERSION, MISSING_CAPABILITY = -32022, -32021
RESERVED = "io.modelcontextprotocol"
ABLE: dict[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}
NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


class Line:
    """A stdio server spoken to in one revision: its clothes around what a test asks."""

    def __init__(self, server: Spoken, revision: str) -> None:
        self.server = server
        self.modern = revision == MODERN
        self._number = 0

    def params(self, more: dict[str, Any], meta: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return parameters as the revision wants them."""
        envelope = {
            f"{RESERVED}/protocolVersion": MODERN,
            f"{RESERVED}/clientCapabilities": ABLE,
            f"{RESERVED}/clientInfo": {"name": "tests", "version": "1"},
        }
        told = {**(envelope if self.modern else {}), **(meta or {})}
        return {**more, "_meta": told} if told else more

    def ask(self, method: str, meta: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        return self.server.request(method, self.params(more, meta))

    def result(
        self, method: str, meta: dict[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        """Send a request and return its result, which must be one."""
        answer = self.ask(method, meta, **more)
        assert "result" in answer, answer
        return dict(answer["result"])

    def code(self, method: str, meta: dict[str, Any] | None = None, **more: Any) -> int:
        """Send a request and return the code of its error, which must be one."""
        answer = self.ask(method, meta, **more)
        assert "error" in answer, answer
        assert "Traceback" not in json.dumps(answer)
        return int(answer["error"]["code"])

    def call(
        self, name: str, meta: dict[str, Any] | None = None, **arguments: Any
    ) -> dict[str, Any]:
        """Call a tool and return its result."""
        return self.result("tools/call", meta, name=name, arguments=arguments)

    def heard(self, method: str) -> list[dict[str, Any]]:
        """Return the notifications of a method that came since the last time, and forget all."""
        found = [each["params"] for each in self.server.others if each["method"] == method]
        self.server.others.clear()
        return found

    def begin(self, name: str, **arguments: Any) -> str:
        """Send a call and return its id, without waiting for the answer."""
        self._number += 1
        identifier = f"begun-{self._number}"
        params = self.params({"name": name, "arguments": arguments})
        self.server.send(
            {"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}
        )
        return identifier

    def reply(self, identifier: Any, result: dict[str, Any]) -> None:
        """Answer a request of the server's."""
        self.server.send({"jsonrpc": "2.0", "id": identifier, "result": result})

    def cancel(self, identifier: str) -> None:
        """Cancel a request of ours."""
        params = self.params({"requestId": identifier, "reason": "changed my mind"})
        self.server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


def opened(env: dict[str, str], folder: Any, revision: str) -> Spoken:
    """Return a server that is ready for a revision."""
    server = Spoken(env, folder, WITH_FIXTURES, "--toolsets", "all")
    if revision == LEGACY:
        said = server.request("initialize", {**initialize(), "capabilities": ABLE})
        assert said["result"]["protocolVersion"] == LEGACY
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return server


@pytest.fixture(scope="module", params=[LEGACY, MODERN])
def line(
    request: pytest.FixtureRequest,
    shared_env: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Line]:
    """A server with the suite's fixtures, in each revision."""
    server = opened(shared_env, tmp_path_factory.mktemp("line") / "cwd", request.param)
    try:
        yield Line(server, request.param)
    finally:
        server.stop()


handshake_only = pytest.mark.parametrize("line", [LEGACY], indirect=True)
envelope_only = pytest.mark.parametrize("line", [MODERN], indirect=True)


# who is there


@envelope_only
def test_discovery_tells_versions_capabilities_and_who_it_is(line: Line) -> None:
    said = line.result("server/discover")
    assert said["supportedVersions"] == [MODERN]
    assert {"tools", "resources", "prompts", "completions"} <= said["capabilities"].keys()
    assert said["_meta"][f"{RESERVED}/serverInfo"]["name"] == "reasonloom"


@envelope_only
def test_a_version_that_is_not_spoken_is_refused_with_those_that_are(line: Line) -> None:
    answer = line.ask("server/discover", {f"{RESERVED}/protocolVersion": "2099-01-01"})
    assert answer["error"]["code"] == UNSUPPORTED_VERSION
    assert answer["error"]["data"] == {"supported": [MODERN], "requested": "2099-01-01"}


@envelope_only
def test_a_request_without_its_envelope_is_refused(line: Line) -> None:
    assert line.server.request("tools/list", {})["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("asked", ["1999-01-01", "2099-01-01", "x"])
def test_a_handshake_for_another_version_is_offered_one_that_is_spoken(
    shared_env: dict[str, str], folder: Any, asked: str
) -> None:
    server = Spoken(shared_env, folder)
    try:
        assert server.handshake(asked)["protocolVersion"] == LEGACY
        assert server.request("ping")["result"] == {}
    finally:
        server.stop()


def test_ping_belongs_to_the_handshake_revisions(line: Line) -> None:
    if line.modern:
        assert line.code("ping") == NO_METHOD
    else:
        assert line.result("ping") == {}


@pytest.mark.parametrize("method", ["unknown/method", "tools/nope", "sampling/createMessage"])
def test_an_unknown_method_is_told_so(line: Line, method: str) -> None:
    assert line.code(method) == NO_METHOD


def test_a_line_that_is_no_json_is_answered_and_the_next_one_read(line: Line) -> None:
    line.server.write(b'{"jsonrpc":"2.0","id":77,"method":"tools/list","params":{')
    assert line.server.answer(77)["error"]["code"] == PARSE_ERROR
    assert line.result("tools/list")["tools"]


# tools


def test_tools_are_listed_in_the_same_order_each_time(line: Line) -> None:
    first, second = (line.result("tools/list") for _ in range(2))
    assert first["tools"] == second["tools"]
    for tool in first["tools"]:
        assert NAME.fullmatch(tool["name"])
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
    if line.modern:
        assert first["ttlMs"] >= 0
        assert first["cacheScope"] in ("public", "private")


def test_a_schema_reaches_the_client_whole(line: Line) -> None:
    tools = {tool["name"]: tool["inputSchema"] for tool in line.result("tools/list")["tools"]}
    schema = tools["json_schema_2020_12_tool"]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$defs"]["address"]["$anchor"] == "addressDef"
    assert {"allOf", "if", "then", "else"} <= schema.keys()


@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        ("test_simple_text", ["text"]),
        ("test_image_content", ["image"]),
        ("test_audio_content", ["audio"]),
        ("test_embedded_resource", ["resource"]),
        ("test_multiple_content_types", ["text", "image", "resource"]),
    ],
)
def test_every_kind_of_content_comes_through(line: Line, tool: str, kinds: list[str]) -> None:
    said = line.call(tool)
    assert not said["isError"]
    assert [block["type"] for block in said["content"]] == kinds
    for block in said["content"]:
        if block["type"] in ("image", "audio"):
            assert base64.b64decode(block["data"], validate=True)


def test_a_tool_that_fails_says_so_within_its_result(line: Line) -> None:
    said = line.call("test_error_handling")
    assert said["isError"]
    assert "intentionally" in said["content"][0]["text"]


def test_arguments_are_held_against_the_schema(line: Line) -> None:
    unknown = line.call("test_simple_text", surprise=1)
    assert unknown["isError"]
    assert "surprise: unknown field" in unknown["content"][0]["text"]
    missing = line.call("test_elicitation")
    assert "Missing required parameter: message" in missing["content"][0]["text"]


def test_an_unknown_tool_is_a_malformed_call(line: Line) -> None:
    assert line.code("tools/call", name="test_nothing", arguments={}) == INVALID_PARAMS


def test_progress_is_told_where_it_is_asked_for(line: Line) -> None:
    line.heard("")
    line.call("test_tool_with_progress", {"progressToken": "here"})
    told = line.heard("notifications/progress")
    assert [(each["progressToken"], each["progress"], each["total"]) for each in told] == [
        ("here", 0, 100), ("here", 50, 100), ("here", 100, 100),
    ]  # fmt: skip
    line.call("test_tool_with_progress")
    assert line.heard("notifications/progress") == []


def test_what_is_logged_comes_to_who_wants_it(line: Line) -> None:
    line.heard("")
    level = f"{RESERVED}/logLevel"
    line.call("test_tool_with_logging")
    unasked = line.heard("notifications/message")
    if not line.modern:
        assert [each["level"] for each in unasked] == ["info"] * 3
        assert line.result("logging/setLevel", level="debug") == {}
        return
    assert unasked == []
    line.call("test_tool_with_logging", {level: "info"})
    assert len(line.heard("notifications/message")) == 3
    line.call("test_tool_with_logging", {level: "error"})
    assert line.heard("notifications/message") == []


# resources


def test_resources_are_listed_and_read(line: Line) -> None:
    listed = [resource["uri"] for resource in line.result("resources/list")["resources"]]
    assert {"test://static-text", "test://static-binary"} <= set(listed)
    (text,) = line.result("resources/read", uri="test://static-text")["contents"]
    assert text["mimeType"] == "text/plain"
    assert text["text"]
    (binary,) = line.result("resources/read", uri="test://static-binary")["contents"]
    assert base64.b64decode(binary["blob"], validate=True).startswith(b"\x89PNG")


def test_a_template_is_listed_and_filled_in(line: Line) -> None:
    templates = line.result("resources/templates/list")["resourceTemplates"]
    named = {each["uriTemplate"] for each in templates}
    assert {"test://template/{id}/data", "reasonloom://session/{id}"} <= named
    (filled,) = line.result("resources/read", uri="test://template/123/data")["contents"]
    assert json.loads(filled["text"])["id"] == "123"


@pytest.mark.parametrize("uri", ["test://nothing", "reasonloom://session/none", "x"])
def test_a_resource_that_is_not_there_is_an_error_that_names_it(line: Line, uri: str) -> None:
    answer = line.ask("resources/read", uri=uri)
    assert answer["error"]["code"] == INVALID_PARAMS
    assert answer["error"]["data"] == {"uri": uri}


@handshake_only
def test_a_resource_can_be_watched_and_left_alone_again(line: Line) -> None:
    for method in ("resources/subscribe", "resources/unsubscribe"):
        assert line.result(method, uri="test://watched-resource") == {}


@envelope_only
def test_what_is_subscribed_to_comes_and_nothing_else_until_it_is_cancelled(line: Line) -> None:
    wanted = line.params({"notifications": {"toolsListChanged": True}})
    message = {"jsonrpc": "2.0", "id": "ear", "method": "subscriptions/listen", "params": wanted}
    line.server.send(message)
    first = line.server.next()
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert first["params"]["notifications"] == {"toolsListChanged": True}
    line.heard("")
    line.call("test_trigger_prompt_change")
    line.call("test_trigger_tool_change")
    (change,) = line.server.others
    assert change["method"] == "notifications/tools/list_changed"
    assert change["params"]["_meta"][f"{RESERVED}/subscriptionId"] == "ear"
    line.cancel("ear")
    line.heard("")
    line.call("test_trigger_tool_change")
    assert line.server.others == []


# prompts and completion


def test_prompts_are_listed_and_filled_in(line: Line) -> None:
    listed = {each["name"]: each for each in line.result("prompts/list")["prompts"]}
    arguments = listed["test_prompt_with_arguments"]["arguments"]
    assert [(each["name"], each["required"]) for each in arguments] == [
        ("arg1", True), ("arg2", True),
    ]  # fmt: skip
    given = {"arg1": "hello", "arg2": "world"}
    said = line.result("prompts/get", name="test_prompt_with_arguments", arguments=given)
    assert said["messages"][0]["content"]["text"] == (
        "Prompt with arguments: arg1='hello', arg2='world'"
    )
    picture = line.result("prompts/get", name="test_prompt_with_image")
    assert [each["content"]["type"] for each in picture["messages"]] == ["image", "text"]
    uri = {"resourceUri": "test://example"}
    held = line.result("prompts/get", name="test_prompt_with_embedded_resource", arguments=uri)
    assert held["messages"][0]["content"]["resource"]["uri"] == "test://example"


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("test_nothing", {}, "Prompt not found: test_nothing"),
        ("test_prompt_with_arguments", {"arg1": "x"}, "Missing required argument: arg2"),
        ("test_simple_prompt", {"arg1": "x"}, "arg1: unknown argument; it takes none"),
    ],
)
def test_a_prompt_that_cannot_be_filled_in_is_a_malformed_call(
    line: Line, name: str, arguments: dict[str, str], told: str
) -> None:
    answer = line.ask("prompts/get", name=name, arguments=arguments)
    assert answer["error"]["code"] == INVALID_PARAMS
    assert answer["error"]["message"] == told


def test_completion_answers_for_what_it_knows_and_refuses_the_rest(line: Line) -> None:
    argument = {"name": "arg1", "value": "te"}
    prompt = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    said = line.result("completion/complete", ref=prompt, argument=argument)
    assert said["completion"]["values"] == []
    for unknown in (
        {"type": "ref/prompt", "name": "test_nothing"},
        {"type": "ref/resource", "uri": "reasonloom://nothing/{id}"},
    ):
        assert line.code("completion/complete", ref=unknown, argument=argument) == INVALID_PARAMS


# asking the client


@handshake_only
def test_the_client_is_asked_in_the_middle_of_a_call(line: Line) -> None:
    call = line.begin("test_elicitation", message="Who are you?")
    asked = line.server.next()
    assert asked["method"] == "elicitation/create"
    assert asked["params"]["message"] == "Who are you?"
    content = {"username": "ada", "email": "ada@example.org"}
    line.reply(asked["id"], {"action": "accept", "content": content})
    assert '"ada"' in line.server.answer(call)["result"]["content"][0]["text"]

    call = line.begin("test_sampling", prompt="Say yes")
    asked = line.server.next()
    assert asked["method"] == "sampling/createMessage"
    text = {"type": "text", "text": "yes"}
    line.reply(asked["id"], {"role": "assistant", "content": text, "model": "none"})
    said = line.server.answer(call)["result"]["content"][0]["text"]
    assert said == "LLM response: yes"


@handshake_only
def test_a_cancelled_call_stops_asking_and_is_never_answered(line: Line) -> None:
    call = line.begin("test_elicitation", message="Who are you?")
    asked = line.server.next(PATIENCE)
    line.cancel(call)
    withdrawn = line.server.next(PATIENCE)
    assert withdrawn["method"] == "notifications/cancelled"
    assert withdrawn["params"]["requestId"] == asked["id"]
    assert line.result("ping") == {}
    assert call not in {each.get("id") for each in map(json.loads, line.server.lines)}


def test_what_the_client_cannot_do_is_not_asked_of_it(line: Line) -> None:
    if line.modern:
        able: dict[str, Any] = {f"{RESERVED}/clientCapabilities": {"elicitation": {}}}
        answer = line.ask("tools/call", able, name="test_missing_capability", arguments={})
        assert answer["error"]["code"] == MISSING_CAPABILITY
        assert answer["error"]["data"] == {"requiredCapabilities": {"sampling": {}}}
        some = line.call("test_input_required_result_capabilities", able)
        assert list(some["inputRequests"]) == ["user_name"]
    else:
        said = line.call("test_input_required_result_elicitation")
        assert said["isError"]
        assert "2026-07-28" in said["content"][0]["text"]


def accepted(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


def answered(line: Line, name: str, replies: dict[str, Any], state: str | None) -> dict[str, Any]:
    """Call a tool again with what it asked for; return the whole answer."""
    kept = {} if state is None else {"requestState": state}
    more: dict[str, Any] = {"name": name, "arguments": {}, "inputResponses": replies, **kept}
    return line.ask("tools/call", **more)


@envelope_only
def test_an_unfinished_call_is_finished_in_rounds_and_its_state_is_sealed(line: Line) -> None:
    name = "test_input_required_result_multi_round"
    first = line.call(name)
    assert first["resultType"] == "input_required"
    assert list(first["inputRequests"]) == ["step1"]
    replies = {"step1": accepted(name="Ada")}
    second = answered(line, name, replies, first["requestState"])["result"]
    assert list(second["inputRequests"]) == ["step2"]
    assert "Ada" not in second["requestState"]
    replies = {"step2": accepted(color="blue")}
    third = answered(line, name, replies, second["requestState"])["result"]
    assert third["content"][0]["text"] == "Ada likes blue."
    for spoilt in (f"{second['requestState']}x", "x", "", "unnamed"):
        refused = answered(line, name, replies, spoilt)
        assert refused["error"]["code"] == INVALID_PARAMS, spoilt


@pytest.mark.parametrize(
    "replies",
    [{}, {"wrong": accepted(name="Ada")}, {"user_name": accepted(wrong="Ada")},
     {"user_name": {"action": "decline"}}, {"user_name": {"roots": []}}],
)  # fmt: skip
@envelope_only
def test_what_is_still_missing_is_asked_for_again(line: Line, replies: dict[str, Any]) -> None:
    name = "test_input_required_result_elicitation"
    again = answered(line, name, replies, None)["result"]
    assert again["resultType"] == "input_required"
    assert list(again["inputRequests"]) == ["user_name"]
    more = {"user_name": accepted(name="Ada"), "unasked": accepted(name="Eve")}
    done = answered(line, name, more, None)["result"]
    assert done["content"][0]["text"] == "Hello, Ada!"


@envelope_only
def test_a_prompt_may_be_unfinished_too(line: Line) -> None:
    name = "test_input_required_result_prompt"
    first = line.result("prompts/get", name=name)
    assert list(first["inputRequests"]) == ["user_context"]
    replies = {"user_context": accepted(context="a garden")}
    said = line.result("prompts/get", name=name, inputResponses=replies)
    assert "a garden" in said["messages"][0]["content"]["text"]
