"""Real servers speak both transports and every protocol revision they promise."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client

from reasonloom import __version__
from reasonloom.contracts.toolsets import INVENTORY
from reasonloom.server.app import build_server
from reasonloom.server.catalogue.selection import built_names
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from tests.support.clients.processes import (
    LEGACY,
    OLDEST,
    Spoken,
    Web,
    environment,
    spoken,
    web,
)
from tests.support.clients.sdk import Held, held
from tests.support.databases.rows import Rows

MODERN = "2026-07-28"
KEY = "io.reasonloom/idempotency-key"
DEFAULT = ["remember", "recall", "update_memory", "forget", "search", "reasoning_linear"]
HINTS = {
    "remember": (False, False, False, False),
    "recall": (True, False, True, False),
    "update_memory": (False, True, True, False),
    "forget": (False, True, True, False),
    "search": (True, False, True, False),
    "reasoning_linear": (False, False, False, True),
}
"""Whether a tool only reads, destroys, may be repeated, and asks an llm."""


def memory(content: str, **more: Any) -> dict[str, Any]:
    return {
        "content": content,
        "userId": "local",
        "sessionId": "s",
        "primarySector": "semantic",
        **more,
    }


def test_the_revision_asked_for_is_spoken(client: Held, request: pytest.FixtureRequest) -> None:
    spoken_revision = client.client.session.protocol_version
    legacy = "legacy" in request.node.callspec.params["client"]
    assert spoken_revision == (LEGACY if legacy else MODERN)


def test_a_client_may_speak_the_newest_revision_without_asking_first(site: Web) -> None:
    with held(site.url, MODERN) as client:
        assert set(DEFAULT) <= {tool.name for tool in client.tools()}
        assert not client.call("recall", {"userId": "local"}).is_error


def test_tools_are_listed_with_all_that_an_agent_needs(client: Held) -> None:
    tools = {tool.name: tool for tool in client.tools()}
    assert list(tools)[:3] == DEFAULT[:3]
    assert set(DEFAULT) <= set(tools)
    for tool in tools.values():
        assert tool.title
        assert len(tool.description) > 20
        assert tool.input_schema["additionalProperties"] is False
        for schema in every_object(tool.input_schema):
            assert schema.get("additionalProperties", False) is False
        assert tool.output_schema["type"] == "object"
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    for name, hints in HINTS.items():
        said = tools[name].annotations
        found = (
            said.read_only_hint, said.destructive_hint, said.idempotent_hint, said.open_world_hint
        )  # fmt: skip
        assert found == hints, name


def every_object(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every object whose names are told; one without may hold any."""
    if schema.get("type") == "object" and "properties" in schema:
        yield schema
        for inner in schema["properties"].values():
            yield from every_object(inner)


def test_every_tool_answers(client: Held) -> None:
    word = uuid.uuid4().hex
    stored = client.call("remember", memory(f"The {word} stands in the yard."))
    number = stored.structured_content["data"]["memoryId"]
    found = client.call("recall", {"userId": "local", "text": word})
    assert found.structured_content["data"]["memories"][0]["id"] == number
    thought = client.call("reasoning_linear", {"content": f"Where is the {word}?"})
    assert "yard" in thought.structured_content["content"]
    gone = client.call("forget", {"userId": "local", "memoryId": number})
    assert gone.structured_content["data"]["deletionType"] == "hard"
    again = client.call("forget", {"userId": "local", "memoryId": number})
    assert again.is_error
    assert again.structured_content["error"] == "Memory not found"
    assert json.loads(again.content[0].text) == again.structured_content
    for result in (stored, found, thought, gone):
        text = result.content[0].text
        assert 0 < len(text) < len(json.dumps(result.structured_content))


def test_progress_names_the_steps_in_order(client: Held) -> None:
    result, reports = client.followed("reasoning_linear", {"content": "What then?"})
    assert not result.is_error
    assert reports == [
        (0, 3, "recall context"), (1, 3, "continue thought"), (2, 3, "keep thought")
    ]  # fmt: skip


def test_progress_of_tasks_at_once_grows_as_they_end(client: Held) -> None:
    result, reports = client.followed("reasoning_divergent", {"content": "What then?"})
    assert not result.is_error
    assert [progress for progress, *_ in reports] == list(range(7))
    assert {total for _, total, _ in reports} == {7}
    assert reports[3][2] == "take perspective, 2 of 4 done"


@pytest.mark.parametrize(
    ("tool", "table"), [("remember", "memories"), ("reasoning_linear", "thoughts")]
)
def test_a_key_makes_a_call_safe_to_repeat(client: Held, rows: Rows, tool: str, table: str) -> None:
    key, word = uuid.uuid4().hex, uuid.uuid4().hex
    request = memory(word) if tool == "remember" else {"content": word}
    before = rows.counts()[f"reasonloom.{table}"]
    answers = [client.call(tool, request, meta={KEY: key}) for _ in range(3)]
    assert not any(answer.is_error for answer in answers)
    bodies = [answer.structured_content for answer in answers]
    assert [payload(body) for body in bodies] == [payload(bodies[0])] * 3
    assert rows.counts()[f"reasonloom.{table}"] == before + 1


def payload(answer: dict[str, Any]) -> Any:
    return answer.get("data", answer)


def test_a_key_with_another_request_is_a_conflict(client: Held, rows: Rows) -> None:
    key = uuid.uuid4().hex
    client.call("remember", memory("one"), meta={KEY: key})
    client.call("reasoning_linear", {"content": "one"}, meta={KEY: key})
    before = rows.counts()["reasonloom.memories"]
    thought = client.call("remember", memory("two"), meta={KEY: key})
    linear = client.call("reasoning_linear", {"content": "two"}, meta={KEY: key})
    assert thought.is_error
    assert "idempotency key" in thought.structured_content["error"]
    assert thought.structured_content["suggestion"] == "Use a new idempotency key for a new request"
    assert linear.is_error
    assert linear.structured_content["error"]["type"] == "Conflict"
    assert rows.counts()["reasonloom.memories"] == before


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb", 7, True, ["k"], {"k": 1}])
def test_a_key_that_is_none_is_refused(client: Held, rows: Rows, key: object) -> None:
    before = rows.counts()["reasonloom.memories"]
    result = client.call("remember", memory("never"), meta={KEY: key})
    assert result.is_error
    assert result.structured_content["field"] == f"_meta.{KEY}"
    assert rows.counts()["reasonloom.memories"] == before


def test_calls_at_the_same_time_get_their_own_answers(speaker: Spoken) -> None:
    words = [uuid.uuid4().hex for _ in range(12)]
    for word in words:
        params = {"name": "remember", "arguments": memory(f"The {word} is in the attic.")}
        speaker.send({"jsonrpc": "2.0", "id": word, "method": "tools/call", "params": params})
    for word in reversed(words):
        assert speaker.answer(word)["result"]["isError"] is False
    for word in words:
        params = {"name": "recall", "arguments": {"userId": "local", "text": word, "limit": 1}}
        speaker.send({"jsonrpc": "2.0", "id": word, "method": "tools/call", "params": params})
    for word in reversed(words):
        found = speaker.answer(word)["result"]["structuredContent"]["data"]["memories"]
        assert [each["content"] for each in found] == [f"The {word} is in the attic."]


def test_ping_is_answered_with_an_empty_result(speaker: Spoken) -> None:
    assert speaker.request("ping")["result"] == {}


def test_the_reasoning_references_own_revision_is_spoken_until_a_signal_ends_it(
    shared_env: dict[str, str], folder: Path
) -> None:
    server = Spoken(shared_env, folder, "--as", "langbase-reasoning")
    try:
        said = server.handshake(OLDEST, "claude-desktop")
        assert said["protocolVersion"] == OLDEST
        assert said["serverInfo"]["name"] == "mcp-langbase-reasoning"
        assert said["serverInfo"]["version"] == "0.1.0"
        assert said["capabilities"]["tools"] == {"listChanged": False}
        served = [tool["name"] for tool in server.tools()]
        assert served == [name for name in built_names() if name in INVENTORY["reasoning"]]
        assert server.request("ping")["result"] == {}
        answer = server.call("reasoning_linear", {"content": "Your reasoning prompt"})
        assert set(json.loads(answer["content"][0]["text"])) >= {
            "thought_id", "session_id", "content", "confidence", "previous_thought"
        }  # fmt: skip
        refused = server.call("reasoning_linear", {"content": ""})
        assert refused["isError"] is True
        assert refused["content"] == [
            {"type": "text", "text": "Error: Validation failed: content - Content cannot be empty"}
        ]
        server.child.terminate()  # while the server waits for its client's next line
        assert server.ended(8) == 0
        assert_only_messages(server)
        assert "Traceback" not in server.log
    finally:
        server.stop()


async def test_a_server_for_one_reference_says_its_name() -> None:
    settings = load_settings(serve_as="thoughtmcp", database_url="postgresql://127.0.0.1:1/x")
    async with EngineLifespan(settings) as room, Client(build_server(room)) as opened:
        info = opened.session.server_info
        assert info is not None
        assert (info.name, info.version) == ("thoughtmcp", "0.5.0")
        tools = (await opened.list_tools()).tools
        assert [tool.name for tool in tools][:2] == ["remember", "recall"]


def test_the_combined_server_says_its_own_name(client: Held) -> None:
    info = client.client.session.server_info
    assert info is not None
    assert (info.name, info.version) == ("reasonloom", __version__)


def test_a_cancelled_call_leaves_the_server_alive(speaker: Spoken) -> None:
    long = {"content": "word " * 15_000}
    for number in range(5):
        name = f"cancelled-{number}"
        params = {"name": "reasoning_linear", "arguments": long}
        speaker.send({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params})
        note = {"requestId": name, "reason": "changed my mind"}
        speaker.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": note})
    found = speaker.call("recall", {"userId": "local"})
    assert found["isError"] is False
    assert speaker.alive


def test_the_end_of_stdin_ends_the_server_and_what_it_held_back_is_written(
    shared_env: dict[str, str], folder: Path, rows: Rows
) -> None:
    with spoken(shared_env, folder) as server:
        server.call("remember", memory("Kept although the client leaves at once."))
        before = rows.settled()["reasonloom.runs"]
        server.call("recall", {"userId": "local", "text": "client leaves"})
        server.close_stdin()
        assert server.ended() == 0
        assert rows.counts()["reasonloom.runs"] == before + 1
        assert_only_messages(server)
        assert list(folder.iterdir()) == []


def test_a_signal_ends_a_server_over_http_and_what_it_held_back_is_written(
    shared_env: dict[str, str], folder: Path, rows: Rows
) -> None:
    with web(shared_env, folder) as server, held(server.url, "legacy") as client:
        client.call("recall", {"userId": "local", "text": "anything"})
        before = rows.settled()["reasonloom.runs"]
        for _ in range(3):
            client.call("recall", {"userId": "local", "text": "anything"})
        server.child.terminate()
        assert server.ended(10) == 0
        assert rows.counts()["reasonloom.runs"] == before + 3
        assert "Traceback" not in server.log
    assert list(folder.iterdir()) == []


def test_a_signal_before_the_first_message_ends_a_server(tmp_path: Path, folder: Path) -> None:
    server = Spoken(environment(tmp_path / "home", DATABASE_URL="postgresql://127.0.0.1:1/x"),
                    folder)  # fmt: skip
    try:
        server.handshake()
        server.child.terminate()
        assert server.ended(8) == 0
    finally:
        server.stop()


def test_stdout_carries_messages_alone(speaker: Spoken) -> None:
    speaker.call("recall", {"userId": "local", "text": "anything"})
    assert_only_messages(speaker)
    assert list(speaker.folder.iterdir()) == []


def assert_only_messages(server: Spoken) -> None:
    assert server.lines
    for line in server.lines:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        assert line.count(b"\n") == 1


def test_nothing_is_written_into_the_current_folder_over_http(site: Web) -> None:
    with held(site.url, "auto") as client:
        client.call("reasoning_linear", {"content": "Where do I write?"})
    assert list(site.folder.iterdir()) == []
