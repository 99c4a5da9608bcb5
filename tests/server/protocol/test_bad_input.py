"""Whatever a client sends is taken or refused by name; nothing of it is stored or lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from reasonloom.contracts.schema import publish
from reasonloom.server.toolsets.table import TOOLSETS
from tests.support.clients.processes import Spoken, Web
from tests.support.contracts.references import BESIDE, example, least_request
from tests.support.databases.rows import Rows
from tests.support.fuzzing.wrong_values import (
    NO_NUMBERS,
    NO_TEXT,
    Field,
    arguments_with,
    fields_of,
    misspelt,
    wrong_values,
)
from tests.support.kinds import sampled

TOOLS = {line.name: publish(line.request) for toolset in TOOLSETS for line in toolset.tools}
SAMPLE = [toolset.tools[0].name for toolset in TOOLSETS]
EVERY_TOOL = sampled(TOOLS, SAMPLE)
FORMS = {line.name: toolset.name for toolset in TOOLSETS for line in toolset.tools}
INSIDES = re.compile(
    r"Traceback|File \"|\.py\b|/tmp|/work|/root|\bSELECT\b|\bINSERT\b|https?://|postgres|psycopg"
    r"|pydantic|validation error|Input should|type="
)
"""What no message may show."""


@pytest.fixture(scope="module", autouse=True)
def nothing_stored(rows: Rows) -> Iterator[None]:
    """Every call of this module is refused, and all tables stay as they were."""
    before = rows.settled()
    yield
    assert rows.settled() == before


def raw_call(identifier: str, tool: str, arguments: str) -> bytes:
    return (
        f'{{"jsonrpc":"2.0","id":"{identifier}","method":"tools/call",'
        f'"params":{{"name":"{tool}","arguments":{arguments}}}}}'
    ).encode()


def refused(result: dict[str, Any], tool: str, field: str) -> str:
    """Check that a result is the reference's error about `field`; return what it says."""
    assert result["isError"] is True, result
    text, body = result["content"][0]["text"], result["structuredContent"]
    text, has_example, call = text.partition("\nExample: ")
    assert not has_example or call.startswith(f"{tool} {{")
    assert not INSIDES.search(text), text
    assert len(text) < 2_000
    if FORMS[tool] == "thought":
        assert set(body) >= {"success", "error", "suggestion", "metadata"}
        assert body["success"] is False
        assert text == f"Error: {body['error']}" if has_example else json.loads(text) == body
        assert body["suggestion"]
        said, named = body["error"], body["field"]
    elif FORMS[tool] == "mental_models":
        assert body["success"] is False
        assert body["code"] in ("INVALID_ARGUMENT", "INVALID_DOMAIN")
        assert text == f"Error: {body['message']}" if has_example else json.loads(text) == body
        said, named = body["message"], body["field"]
    else:
        assert set(body["error"]) >= {"type", "message", "field"}
        assert body["error"]["type"] == "Validation"
        begins = f'Tool "{tool}" failed' if FORMS[tool] == "history" else "Error"
        assert text == f"{begins}: {body['error']['message']}"
        said, named = body["error"]["message"], body["error"]["field"]
    assert named == field, f"{named} is named, not {field}: {said}"
    assert field.rsplit(".", maxsplit=1)[-1].lower() in said.lower()
    return str(said)


@pytest.mark.parametrize("tool", EVERY_TOOL)
def test_wrong_values_are_refused_by_the_fields_name(speaker: Spoken, tool: str) -> None:
    faults: list[str] = []
    cases = 0
    for field in fields_of(TOOLS[tool]):
        for label, raw in wrong_values(field):
            cases += 1
            identifier = f"{field.name}: {label}"
            speaker.write(raw_call(identifier, tool, arguments_with(TOOLS[tool], field.path, raw)))
            answer = speaker.answer(identifier)
            try:
                named = f"{field.name}.0" if label == "a null in it" else field.name
                refused(answer["result"], tool, named)
            except (AssertionError, KeyError) as error:
                faults.append(f"{identifier}: {error} {str(answer)[:300]}")
    assert cases > 10 or not TOOLS[tool]["properties"]
    assert faults == []
    assert speaker.request("ping")["result"] == {}


@pytest.mark.parametrize("tool", EVERY_TOOL)
def test_over_http_too_what_is_no_text_and_no_number_is_refused_by_name(
    site: Web, tool: str
) -> None:
    faults: list[str] = []
    for field in fields_of(TOOLS[tool]):
        wrong = {**NO_TEXT, **{raw: raw for raw in NO_NUMBERS}}
        if field.schema["type"] in ("object", "array"):
            wrong = {"a number": "0.5"}
        for label, raw in wrong.items():
            identifier = f"{field.name}: {label}"
            body = raw_call(identifier, tool, arguments_with(TOOLS[tool], field.path, raw))
            answer = site.exchange(body)
            try:
                assert answer["id"] == identifier
                refused(answer["result"], tool, field.name)
            except (AssertionError, KeyError) as error:
                faults.append(f"{identifier}: {error} {str(answer)[:300]}")
    assert faults == []


def is_open(schema: dict[str, Any], path: tuple[str, ...]) -> bool:
    """Tell whether the object at a path of a request keeps keys that it does not name."""
    for name in path:
        schema = schema["properties"][name]
    return "additionalProperties" not in schema


def without(arguments: dict[str, Any], path: tuple[str, ...]) -> None:
    """Leave out a field: a hint names none that is given."""
    for name in path[:-1]:
        arguments = arguments[name]
    arguments.pop(path[-1], None)


@pytest.mark.parametrize("tool", EVERY_TOOL)
def test_an_unknown_field_is_refused_and_the_nearest_one_is_named(
    speaker: Spoken, tool: str
) -> None:
    for field in fields_of(TOOLS[tool]):
        if field.path[-1] == "0" or is_open(TOOLS[tool], field.path[:-1]):
            continue
        wrong = (*field.path[:-1], misspelt(field.path[-1]))
        arguments = json.loads(arguments_with(TOOLS[tool], wrong, '"x"'))
        without(arguments, field.path)
        named = field.path if field.required else wrong
        said = refused(speaker.call(tool, arguments), tool, ".".join(named))
        assert f"{wrong[-1]}: unknown field" in said
        assert f"did you mean {field.path[-1]}?" in said
    far = refused(speaker.call(tool, {**least_request(TOOLS[tool]), "zzzzzzzz": 1}), tool,
                  "zzzzzzzz")  # fmt: skip
    assert all(name in far for name in TOOLS[tool]["properties"])


@pytest.mark.parametrize("absent", ["left out", "null"])
@pytest.mark.parametrize(
    "tool", sampled([name for name in TOOLS if "required" in TOOLS[name]], SAMPLE)
)
def test_a_required_field_that_lacks_is_called_missing(
    speaker: Spoken, tool: str, absent: str
) -> None:
    required = TOOLS[tool]["required"]
    for name in required:
        arguments = {**least_request(TOOLS[tool]), **BESIDE.get(tool, {})}
        if absent == "null":
            arguments[name] = None
        else:
            del arguments[name]
        said = refused(speaker.call(tool, arguments), tool, name)
        assert said.removeprefix("Validation failed: ") == f"Missing required parameter: {name}"
    said = refused(speaker.call(tool, {}), tool, required[0])
    assert said.removeprefix("Validation failed: ") == (
        f"Missing required parameter: {', '.join(required)}"
    )


@pytest.mark.parametrize("value", [2.5, 0.999, 100.5, -0.5, 1e17])
@pytest.mark.parametrize("name", ["limit", "offset"])
def test_a_count_is_a_whole_number(speaker: Spoken, name: str, value: float) -> None:
    refused(speaker.call("recall", {"userId": "local", name: value}), "recall", name)


def test_several_faults_are_told_at_once_and_in_few_words(speaker: Spoken) -> None:
    wrong = {"content": 1, "userId": 2, "sessionId": 3, "primarySector": 4, "a": 1, "b": 2, "c": 3}
    said = speaker.call("remember", wrong)["structuredContent"]["error"]
    assert said.count(";") >= 4
    assert "and 2 more" in said


@pytest.mark.parametrize("depth", ["top", "nested"])
def test_a_callers_own_long_names_are_not_said_back_whole(speaker: Spoken, depth: str) -> None:
    wrong: dict[str, Any] = {"n" * 100_000: 1}
    arguments = wrong if depth == "top" else {"metadata": {"tags": wrong, **wrong}}
    result = speaker.call("recall", {"userId": "local", **arguments})
    assert result["isError"] is True
    assert len(result["content"][0]["text"]) < 2_000


def test_a_field_without_a_name_is_refused(speaker: Spoken) -> None:
    for value in ("1", "NaN", r'"\u0000"'):
        speaker.write(raw_call("nameless", "recall", f'{{"userId":"local","":{value}}}'))
        refused(speaker.answer("nameless")["result"], "recall", "arguments")


def test_a_span_must_run_forward(speaker: Spoken) -> None:
    span = {"start": "2025-12-08T00:00:00Z", "end": "2025-12-07T00:00:00Z"}
    result = speaker.call("recall", {"userId": "local", "dateRange": span})
    refused(result, "recall", "dateRange")


@pytest.mark.parametrize("given", [{}, {"content": "x", "thought_id": "y"}])
def test_reflection_takes_content_or_a_thought(speaker: Spoken, given: dict[str, str]) -> None:
    said = refused(speaker.call("reasoning_reflection", given), "reasoning_reflection", "arguments")
    assert "give content or thought_id, one of the two" in said


def test_the_generated_fields_reach_every_depth() -> None:
    names = {
        f"{tool}.{field.name}" for tool, schema in TOOLS.items() for field in fields_of(schema)
    }
    assert {
        "remember.metadata.importance", "remember.metadata.tags.0", "recall.dateRange.start",
        "recall.sectors.0", "forget.soft", "reasoning_linear.session_id",
    } <= names  # fmt: skip
    field = Field(("a", "b"), {"type": "string"}, required=False)
    assert arguments_with({"required": []}, field.path, "NaN") == '{"a": {"b": NaN}}'
    assert example({"type": "number", "minimum": 0}) == 0
