from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from email.utils import formatdate
from typing import Any

import pytest
import pytest_asyncio

from reasonloom.errors import LlmRefused, LlmUnavailable, TimedOut
from reasonloom.llm.providers.litellm import LitellmModel
from reasonloom.llm.providers.response_format import is_strict
from tests.llm.conftest import KEY, SCHEMA, MakeSettings, ask
from tests.llm.loopback import Answer, Loopback

THOUGHT = {"thought": "Postgres.", "confidence": 0.85}


def chat(text: str | None, finish: str = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        **more,
    }


def fine(text: str | None = json.dumps(THOUGHT), **more: Any) -> Answer:
    return Answer(chat(text, **more))


@pytest_asyncio.fixture
async def make(
    server: Loopback, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Any]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made: list[LitellmModel] = []

    def build(model: str = "openai/gpt-4o-mini", **given: Any) -> LitellmModel:
        settings = make_settings(**{"llm_base_url": f"{server.url}/v1", **given})
        made.append(LitellmModel(model, settings))
        return made[-1]

    yield build
    for model in made:
        await model.close()


async def test_the_request_and_the_reply(server: Loopback, make: Any) -> None:
    server.script(fine())
    model = make()
    reply = await model.answer(ask(schema=SCHEMA, temperature=0.2, seed=7))
    assert (model.name, model.offline) == ("litellm:openai/gpt-4o-mini", False)
    assert server.heard[0].path == "/v1/chat/completions"
    body = server.heard[0].body
    assert body["model"] == "gpt-4o-mini"
    assert body["messages"] == [
        {"role": "system", "content": "Think."},
        {"role": "user", "content": "Which database?"},
    ]
    assert (body["temperature"], body["seed"]) == (0.2, 7)
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
    }
    assert reply.parsed == THOUGHT
    assert reply.model == "gpt-4o-mini"
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (100, 10)
    assert not reply.usage.estimated
    assert reply.usage.cost_usd is not None
    assert reply.usage.cost_usd == pytest.approx(100 * 0.15e-6 + 10 * 0.6e-6)


async def test_nothing_is_sent_that_was_not_asked_for(server: Loopback, make: Any) -> None:
    server.script(fine("Words."))
    reply = await make().answer(ask())
    assert set(server.heard[0].body) == {"model", "messages"}
    assert (reply.text, reply.parsed) == ("Words.", None)


async def test_without_usage_the_tokens_are_estimated(server: Loopback, make: Any) -> None:
    server.script(Answer({k: v for k, v in chat("Words.").items() if k != "usage"}))
    usage = (await make().answer(ask())).usage
    assert usage.estimated
    assert usage.tokens_in == 6
    assert usage.tokens_out == 2


async def test_a_cut_reply_is_marked(server: Loopback, make: Any) -> None:
    server.script(fine("{", finish="length"))
    reply = await make().answer(ask(schema=SCHEMA))
    assert reply.truncated
    assert reply.parsed is None


async def test_a_fault_of_the_server_is_retried_by_us_alone(server: Loopback, make: Any) -> None:
    server.script(Answer("oops", 500), fine())
    assert (await make().answer(ask())).usage.attempts == 2
    assert len(server.heard) == 2


@pytest.mark.parametrize(("status", "reason"), [(500, "HTTP 500"), (529, "HTTP 529")])
async def test_a_server_that_stays_down_is_named(
    server: Loopback, make: Any, status: int, reason: str
) -> None:
    server.script(Answer({"error": {"message": "secret insides"}}, status))
    with pytest.raises(LlmUnavailable) as caught:
        await make().answer(ask())
    expected = f"litellm:openai/gpt-4o-mini: not reached after 4 attempts ({reason})"
    assert caught.value.message == expected
    assert len(server.heard) == 4


async def test_retry_after_seconds_is_honoured(server: Loopback, make: Any) -> None:
    server.script(Answer({"error": {"message": "slow"}}, 429, {"Retry-After": "0.3"}), fine())
    await make().answer(ask())
    assert server.heard[1].at - server.heard[0].at >= 0.29


async def test_retry_after_date_is_honoured(server: Loopback, make: Any) -> None:
    date = formatdate(int(time.time()) + 2, usegmt=True)
    server.script(Answer({"error": {"message": "slow"}}, 429, {"Retry-After": date}), fine())
    await make().answer(ask())
    assert 0.9 <= server.heard[1].at - server.heard[0].at <= 2.5


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_is_final_and_leaks_no_key(
    server: Loopback, make: Any, status: int
) -> None:
    server.script(Answer({"error": {"message": f"no model for {KEY} at /srv/app/x"}}, status))
    with pytest.raises(LlmRefused) as caught:
        await make().answer(ask())
    message = caught.value.message
    assert message.startswith("litellm:openai/gpt-4o-mini: refused (HTTP 4")
    assert "no model for" in message
    assert KEY not in message
    assert "/srv" not in message
    assert "litellm." not in message
    assert len(server.heard) == 1


@pytest.mark.parametrize(
    "broken",
    [
        Answer('{"id": "c1", "cho'),
        Answer("<html>"),
        Answer({}),
        Answer({"choices": []}),
        Answer(chat("x"), cut=40),
        Answer(chat("x"), cut=0),
    ],
)
async def test_a_broken_reply_is_asked_for_again(
    server: Loopback, make: Any, broken: Answer
) -> None:
    server.script(broken, fine())
    assert (await make().answer(ask())).usage.attempts == 2


async def test_nobody_listening(make: Any) -> None:
    model = make(llm_base_url="http://127.0.0.1:1/v1", max_retries=1)
    with pytest.raises(LlmUnavailable, match=r"2 attempts \(connection failed"):
        await model.answer(ask())


async def test_a_slow_server_times_out_and_is_asked_again(server: Loopback, make: Any) -> None:
    server.script(Answer(chat("late"), delay=5), fine())
    reply = await make(request_timeout_ms=200).answer(ask())
    assert reply.usage.attempts == 2
    await asyncio.wait_for(server.left_early.wait(), 1)


async def test_the_deadline_holds_over_all_attempts(server: Loopback, make: Any) -> None:
    server.script(Answer(chat("late"), delay=5))
    model = make(request_timeout_ms=200)
    started = time.monotonic()
    with pytest.raises(TimedOut, match=r"no answer within 0\.5 s"):
        await model.answer(ask(deadline=0.5))
    assert time.monotonic() - started < 1.5


async def test_cancellation_reaches_the_server(server: Loopback, make: Any) -> None:
    server.script(Answer(chat("late"), delay=5))
    task = asyncio.create_task(make().answer(ask()))
    while not server.heard:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(server.left_early.wait(), 1)
    assert len(server.heard) == 1


async def test_questions_travel_side_by_side(server: Loopback, make: Any) -> None:
    server.script(Answer(chat("x"), delay=0.3))
    model = make()
    await asyncio.gather(*[model.answer(ask()) for _ in range(10)])
    assert server.most_together == 10


async def test_nothing_is_printed(
    server: Loopback, make: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    server.script(Answer("oops", 500), Answer({"error": {"message": "no"}}, 400))
    with pytest.raises(LlmRefused):
        await make().answer(ask())
    with pytest.raises(LlmRefused, match="LLM Provider NOT provided"):
        await make("no-such-provider").answer(ask())
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ""


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (SCHEMA, True),
        ({**SCHEMA, "required": ["thought"]}, False),
        ({**SCHEMA, "additionalProperties": True}, False),
        ({**SCHEMA, "minProperties": 1}, False),
        ({"type": "array", "items": SCHEMA}, True),
        ({"type": "array", "items": {"type": "object"}}, False),
        ({"anyOf": [SCHEMA, {"type": "null"}], "$defs": {"x": {"type": "object"}}}, False),
    ],
)
def test_strict_mode_is_asked_for_only_where_it_can_hold(
    schema: dict[str, Any], strict: bool
) -> None:
    assert is_strict(schema) is strict
