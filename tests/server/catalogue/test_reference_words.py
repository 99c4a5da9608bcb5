"""What the references say word for word, and what else they let pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reasonloom.contracts.schema import publish
from reasonloom.server.toolsets.table import TOOLSETS
from tests.support.clients.processes import Spoken
from tests.support.contracts.references import least_request
from tests.support.fuzzing.wrong_values import arguments_with, fields_of

TOOLS = {line.name: publish(line.request) for toolset in TOOLSETS for line in toolset.tools}


def test_the_references_texts_are_said_word_for_word(speaker: Spoken) -> None:
    fine = least_request(TOOLS["remember"])
    empty = speaker.call("remember", {**fine, "content": ""})["structuredContent"]
    assert empty["error"] == "Content cannot be empty"
    assert empty["suggestion"] == "Provide non-empty content"
    unknown = speaker.call("forget", {"userId": "local", "memoryId": "mem-999999"})
    assert unknown["isError"] is True
    assert unknown["structuredContent"]["error"] == "Memory not found"
    assert unknown["structuredContent"]["suggestion"] == (
        "Verify memoryId exists and belongs to user"
    )
    for tool, wrong in (
        ("remember", {**fine, "primarySector": "spatial"}),
        ("recall", {"userId": "local", "primarySector": "spatial"}),
        ("recall", {"userId": "local", "sectors": ["semantic", "spatial"]}),
    ):
        sector = speaker.call(tool, wrong)["structuredContent"]
        assert sector["error"].startswith("Invalid sector")
        assert sector["suggestion"] == (
            "Use: episodic, semantic, procedural, emotional, reflective"
        )
    missing = speaker.call("forget", {})["structuredContent"]
    assert missing["error"].startswith("Missing required parameter")
    assert missing["suggestion"] == "Check input schema for required fields"
    session = speaker.call("reasoning_linear", {"content": "x", "session_id": "none"})
    assert session["isError"] is True
    assert session["structuredContent"]["error"]["type"] == "SessionNotFound"


@pytest.mark.parametrize("tool", TOOLS)
def test_null_is_absent_for_every_optional_field(speaker: Spoken, tool: str) -> None:
    schema = TOOLS[tool]
    absent = least_request(schema)
    for field in fields_of(schema):
        if field.required or field.path[-1] == "0":
            continue
        result = speaker.call(tool, json.loads(arguments_with(schema, field.path, "null")))
        plain = speaker.call(tool, absent)
        assert result["isError"] == plain["isError"], (field.name, result)
        if plain["isError"]:
            assert error_of(result) == error_of(plain)


def error_of(result: dict[str, Any]) -> Any:
    body = result["structuredContent"]
    return body["error"] if "error" in body else (body["code"], body["message"])


def test_a_whole_number_may_be_written_with_a_point(speaker: Spoken) -> None:
    assert speaker.call("recall", {"userId": "local", "limit": 2.0})["isError"] is False
