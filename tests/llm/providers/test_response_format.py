"""JSON is asked for in the strictest form that a server takes, and a refusal is remembered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from jsonschema.validators import validator_for

from reasonloom.errors import LlmRefused
from reasonloom.llm.providers.litellm import LitellmModel
from reasonloom.llm.providers.response_format import enforceable, is_strict
from reasonloom.llm.structured_output import read_object
from reasonloom.prompts.registry import PromptRegistry
from tests.llm.conftest import KEY, SCHEMA, MakeSettings, ask
from tests.llm.loopback import Answer, Loopback
from tests.llm.providers.test_litellm import THOUGHT, fine

PROMPTS = PromptRegistry()
SCHEMAS = {
    f"{name}.v{version}": schema
    for name in PROMPTS.names()
    for version in PROMPTS.versions(name)
    if (schema := PROMPTS.get(name, version).schema) is not None
}
SUPPORTED = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
    "description", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}  # fmt: skip
"""Keywords of OpenAI's guide to structured outputs."""

NO_SCHEMA = Answer(
    {"error": {"message": "response_format.type must be 'text' or 'json_object'"}}, 400
)
NO_OBJECT = Answer(
    {"error": {"message": "'response_format.type' must be 'json_schema' or 'text'"}}, 422
)


@pytest_asyncio.fixture
async def model(
    server: Loopback, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[LitellmModel]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = LitellmModel("openai/my-own", make_settings(llm_base_url=f"{server.url}/v1"))
    yield made
    await made.close()


def forms(server: Loopback) -> list[str | None]:
    return [(each.body.get("response_format") or {}).get("type") for each in server.heard]


async def test_an_unknown_server_is_tried_with_the_schema(
    server: Loopback, model: LitellmModel
) -> None:
    server.script(fine())
    assert (await model.answer(ask(schema=SCHEMA))).parsed == THOUGHT
    body = server.heard[0].body
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "JSON" not in json.dumps(body["messages"])


async def test_a_refusal_is_remembered_for_the_server_and_model(
    server: Loopback, model: LitellmModel, make_settings: MakeSettings
) -> None:
    server.script(NO_SCHEMA, fine(model="my-own"))
    first = await model.answer(ask(schema=SCHEMA))
    assert (first.parsed, first.usage.attempts) == (THOUGHT, 2)
    assert first.usage.cost_usd is None
    again = LitellmModel("openai/my-own", make_settings(llm_base_url=f"{server.url}/v1"))
    other = LitellmModel("openai/another", make_settings(llm_base_url=f"{server.url}/v1"))
    assert (await again.answer(ask(schema=SCHEMA))).usage.attempts == 1
    await other.answer(ask(schema=SCHEMA))
    assert forms(server) == ["json_schema", "json_object", "json_object", "json_schema"]
    schema = json.dumps(SCHEMA, separators=(",", ":"))
    assert schema in server.heard[1].body["messages"][0]["content"]
    await again.close()
    await other.close()


async def test_a_server_that_takes_no_form_is_asked_in_words(
    server: Loopback, model: LitellmModel
) -> None:
    server.script(NO_SCHEMA, NO_OBJECT, fine())
    assert (await model.answer(ask(schema=SCHEMA))).usage.attempts == 3
    await model.answer(ask(schema=SCHEMA))
    assert forms(server) == ["json_schema", "json_object", None, None]


async def test_a_refusal_costs_no_retry(
    server: Loopback, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings = make_settings(llm_base_url=f"{server.url}/v1", max_retries=0)
    model = LitellmModel("openai/my-own", settings)
    server.script(NO_SCHEMA, fine())
    assert (await model.answer(ask(schema=SCHEMA))).parsed == THOUGHT
    await model.close()


async def test_a_server_that_ignores_the_schema_gets_it_in_words(
    server: Loopback, model: LitellmModel
) -> None:
    server.script(fine("I would take Postgres."), fine())
    assert (await model.answer(ask(schema=SCHEMA))).parsed is None
    assert (await model.answer(ask(schema=SCHEMA))).parsed == THOUGHT
    assert forms(server) == ["json_schema", "json_object"]


async def test_a_reply_cut_at_its_limit_proves_nothing(
    server: Loopback, model: LitellmModel
) -> None:
    server.script(fine("{", finish="length"), fine())
    await model.answer(ask(schema=SCHEMA))
    await model.answer(ask(schema=SCHEMA))
    assert forms(server) == ["json_schema", "json_schema"]


@pytest.mark.parametrize("message", ["no such model", "context length exceeded"])
async def test_another_refusal_is_final(
    server: Loopback, model: LitellmModel, message: str
) -> None:
    server.script(Answer({"error": {"message": message}}, 400))
    with pytest.raises(LlmRefused, match=message):
        await model.answer(ask(schema=SCHEMA))
    assert forms(server) == ["json_schema"]


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    parts = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    parts += [schema["items"]] if "items" in schema else []
    for part in parts:
        yield from nodes(part)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_packaged_schema_is_valid_in_strict_mode(name: str) -> None:
    sent = enforceable(SCHEMAS[name])
    validator_for(sent).check_schema(sent)
    assert sent["type"] == "object"
    assert is_strict(sent)
    for node in nodes(sent):
        assert set(node) <= SUPPORTED
        assert "type" in node or "anyOf" in node
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert set(node["required"]) == set(node["properties"])


def test_what_is_optional_may_be_null_and_is_then_left_out() -> None:
    schema = SCHEMAS["breakdown/split.v2"]
    part = enforceable(schema)["properties"]["sub_problems"]["items"]["properties"]["effort"]
    assert part["anyOf"][1] == {"type": "null"}
    text = json.dumps(
        {
            "atomic": False,
            "reason": "R.",
            "confidence": 0.5,
            "sub_problems": [{"description": "D.", "effort": None}],
            "dependencies": [],
        }
    )
    read = read_object(text, schema)
    assert read is not None
    assert read["sub_problems"] == [{"description": "D."}]
