"""Whatever a provider sends becomes a reply that can be kept, or an error that says what it was."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from reasonloom.errors import LlmUnavailable
from reasonloom.llm.coercion import conforms
from reasonloom.llm.interfaces import REPLY_LIMIT, LanguageModel
from reasonloom.llm.providers.langbase import LangbaseModel
from reasonloom.llm.providers.litellm import LitellmModel
from reasonloom.llm.providers.response_format import enforceable, is_strict
from reasonloom.llm.structured_output import read_object, says_nothing
from reasonloom.prompts.registry import PromptRegistry
from tests.llm.conftest import KEY, SCHEMA, MakeSettings, ask
from tests.llm.loopback import Answer, Loopback
from tests.llm.providers.test_langbase import completion
from tests.llm.providers.test_litellm import THOUGHT, chat

PROMPT = PromptRegistry().get("linear/continue").schema
FINE = json.dumps(THOUGHT)
BLANK = json.dumps({"thought": "  \n", "confidence": 0.5})
USAGE = {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}


def body(llm: LanguageModel, text: object, **more: Any) -> Answer:
    """Return a reply in the form of the provider, with some of its fields replaced."""
    build: Any = chat if isinstance(llm, LitellmModel) else completion
    return Answer(build(text, **more))


@pytest_asyncio.fixture(params=["litellm", "langbase"])
async def llm(
    request: pytest.FixtureRequest,
    server: Loopback,
    make_settings: MakeSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[LanguageModel]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made: LanguageModel
    if request.param == "litellm":
        made = LitellmModel("openai/gpt-4o-mini", make_settings(llm_base_url=f"{server.url}/v1"))
    else:
        made = LangbaseModel(make_settings(langbase_api_key=KEY, langbase_base_url=server.url))
    yield made
    await made.close()


async def test_a_models_name_is_cleaned_and_cut(llm: LanguageModel, server: Loopback) -> None:
    server.script(body(llm, FINE, model="a\x00b\ud800"))
    assert (await llm.answer(ask())).model == "ab\ufffd"
    server.script(body(llm, FINE, model="m" * 10_000))
    assert len((await llm.answer(ask())).model) == 200


@pytest.mark.parametrize("count", [99999999999999, 2**30, -5])
async def test_a_count_that_no_column_holds_is_estimated(
    llm: LanguageModel, server: Loopback, count: int
) -> None:
    server.script(body(llm, FINE, usage={**USAGE, "prompt_tokens": count}))
    usage = (await llm.answer(ask())).usage
    assert (usage.tokens_in, usage.tokens_out) == (6, 9)
    assert usage.estimated
    assert usage.cost_usd is None


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("", None),
        (" \n\x00", None),
        (None, SCHEMA),
        (BLANK, PROMPT),
        (f"```\n{BLANK}\n```", PROMPT),
    ],
)
async def test_a_reply_without_words_is_asked_for_again_and_then_told(
    llm: LanguageModel, server: Loopback, text: str | None, schema: dict[str, Any] | None
) -> None:
    server.script(body(llm, text), body(llm, FINE))
    reply = await llm.answer(ask(schema=schema))
    assert (reply.text, reply.usage.attempts) == (FINE, 2)
    server.heard.clear()
    server.script(body(llm, text))
    with pytest.raises(LlmUnavailable) as caught:
        await llm.answer(ask(schema=schema))
    said = f"{llm.name}: no usable answer after 4 attempts (empty reply)"
    assert caught.value.message == said


@pytest.mark.parametrize(
    ("finish", "said"), [("tool_calls", "only calls of tools"), ("length", "length limit")]
)
async def test_an_empty_reply_tells_its_cause(
    llm: LanguageModel, server: Loopback, finish: str, said: str
) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choices = [{"index": 0, "finish_reason": finish, "message": message}]
    server.script(body(llm, "", choices=choices))
    with pytest.raises(LlmUnavailable, match=said):
        await llm.answer(ask())


async def test_a_reply_without_end_is_cut_and_marked(llm: LanguageModel, server: Loopback) -> None:
    server.script(body(llm, "x" * REPLY_LIMIT), body(llm, "x" * (REPLY_LIMIT + 1)))
    whole, cut = await llm.answer(ask()), await llm.answer(ask())
    assert (len(whole.text), whole.truncated) == (REPLY_LIMIT, False)
    assert (len(cut.text), cut.truncated) == (REPLY_LIMIT, True)


@pytest.mark.parametrize(
    "more", [{"choices": "abc"}, {"choices": [1]}, {"usage": [1, 2]}, {"usage": "x"}]
)
async def test_parts_of_another_form(
    llm: LanguageModel, server: Loopback, more: dict[str, Any]
) -> None:
    """Langbase's text stands beside them; litellm reads the text out of them, or nothing."""
    server.script(body(llm, FINE, **more), body(llm, FINE))
    reply = await llm.answer(ask())
    assert reply.text == FINE
    if isinstance(llm, LangbaseModel):
        assert reply.usage.attempts == 1
        assert reply.usage.estimated is ("usage" in more)


async def test_a_truth_value_is_no_count(server: Loopback, make_settings: MakeSettings) -> None:
    llm = LangbaseModel(make_settings(langbase_api_key=KEY, langbase_base_url=server.url))
    server.script(body(llm, FINE, usage={**USAGE, "completion_tokens": True}))
    usage = (await llm.answer(ask())).usage
    await llm.close()
    assert (usage.tokens_in, usage.estimated) == (21, True)
    assert usage.tokens_out > 1


async def test_a_number_of_5000_digits_is_asked_for_again(
    llm: LanguageModel, server: Loopback
) -> None:
    server.script(Answer('{"completion": "x", "n": ' + "1" * 5000 + "}"), body(llm, FINE))
    assert (await llm.answer(ask())).usage.attempts == 2


def test_a_blank_thought_is_no_answer() -> None:
    assert PROMPT is not None
    assert read_object(BLANK, PROMPT) is None
    assert read_object(FINE, PROMPT) == THOUGHT
    assert says_nothing(BLANK)
    assert not says_nothing(FINE)
    assert not says_nothing(f"No. {BLANK}")


@pytest.mark.parametrize("depth", [100, 450, 900, 5000])
def test_an_object_of_any_depth_is_read_or_none(depth: int) -> None:
    text = '{"a":' * depth + "1" + "}" * depth
    assert read_object(text, {"type": "object", "required": ["b"]}) is None
    says_nothing(text)


def test_a_strict_provider_is_sent_what_it_takes() -> None:
    assert PROMPT is not None
    sent = enforceable(PROMPT)
    assert is_strict(sent)
    assert set(sent["properties"]["thought"]) == {"type", "description"}
    assert sent["required"] == ["thought", "confidence", "used", "lookup", "claims"]
    assert conforms({**json.loads(BLANK), "used": [], "lookup": [], "claims": []}, sent)
    assert not conforms(json.loads(BLANK), PROMPT)
    inner = {"type": "string", "pattern": "^a$", "minLength": 1}
    names = {"pattern": inner, "minLength": {"type": "array", "items": inner}}
    schema = {"properties": names, "anyOf": [inner], "$defs": {"d": inner}}
    kept = {"type": "string", "pattern": "^a$"}
    assert enforceable(schema) == {
        "properties": {"pattern": kept, "minLength": {"type": "array", "items": kept}},
        "anyOf": [kept],
        "$defs": {"d": kept},
    }
