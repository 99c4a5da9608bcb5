from __future__ import annotations

import asyncio
import json
import time
from email.utils import formatdate
from typing import Any

import pytest

from reasonloom.errors import LlmRefused, LlmUnavailable, SettingMistake, TimedOut
from reasonloom.llm.providers.langbase import LangbaseModel
from tests.llm.conftest import KEY, SCHEMA, MakeSettings, ask
from tests.llm.loopback import Answer, Loopback

THOUGHT = {"thought": "Postgres.", "confidence": 0.85}


def completion(text: str, **raw: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}
    choices = [{"index": 0, "message": {"role": "assistant"}, "finish_reason": "stop"}]
    told = {"id": "r1", "model": "openai:gpt-4o-mini", "usage": usage, "choices": choices, **raw}
    return {"completion": text, "raw": told}


def fine(text: str = json.dumps(THOUGHT), **raw: Any) -> Answer:
    return Answer(completion(text, **raw))


@pytest.fixture
def make(server: Loopback, make_settings: MakeSettings) -> Any:
    def build(**given: Any) -> LangbaseModel:
        base = {"langbase_api_key": KEY, "langbase_base_url": server.url}
        return LangbaseModel(make_settings(**{**base, **given}))

    return build


async def test_the_request_has_the_references_form(server: Loopback, make: Any) -> None:
    server.script(fine())
    model = make(pipe_got_score="my-score")
    await model.answer(ask(pipe="got_score", thread="5f0c"))
    await model.close()
    (heard,) = server.heard
    assert (heard.method, heard.path) == ("POST", "/v1/pipes/run")
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.headers["content-type"] == "application/json"
    assert heard.body == {
        "name": "my-score",
        "messages": [
            {"role": "system", "content": "Think."},
            {"role": "user", "content": "Which database?"},
        ],
        "stream": False,
        "threadId": "5f0c",
    }


async def test_without_a_thread_none_is_sent(server: Loopback, make: Any) -> None:
    server.script(fine())
    await make().answer(ask())
    assert "threadId" not in server.heard[0].body


@pytest.mark.parametrize(
    ("mode", "pipe"),
    [
        ("linear", "linear-reasoning-v1"),
        ("auto", "mode-router-v1"),
        ("ponder", "linear-reasoning-v1"),
        (None, "linear-reasoning-v1"),
    ],
)
async def test_a_mode_without_a_pipe_uses_the_linear_one(
    make: Any, mode: str | None, pipe: str
) -> None:
    assert make().pipe(mode) == pipe


async def test_the_reply_is_read_whole(server: Loopback, make: Any) -> None:
    server.script(fine())
    reply = await make().answer(ask(schema=SCHEMA))
    assert reply.parsed == THOUGHT
    assert reply.model == "openai:gpt-4o-mini"
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (21, 9)
    assert (reply.usage.estimated, reply.usage.attempts, reply.usage.cost_usd) == (False, 1, None)
    assert not reply.truncated
    assert (
        json.dumps(SCHEMA, separators=(",", ":")) in server.heard[0].body["messages"][0]["content"]
    )


async def test_a_reply_that_is_no_json_keeps_its_text(server: Loopback, make: Any) -> None:
    server.script(fine("Just words."))
    reply = await make().answer(ask(schema=SCHEMA))
    assert (reply.text, reply.parsed) == ("Just words.", None)


async def test_without_raw_the_tokens_are_estimated(server: Loopback, make: Any) -> None:
    server.script(Answer({"completion": "Just words."}))
    reply = await make().answer(ask())
    assert reply.usage.estimated
    assert reply.usage.tokens_in > 0
    assert reply.usage.tokens_out == 3
    assert reply.model == "linear-reasoning-v1"


async def test_a_cut_reply_is_marked(server: Loopback, make: Any) -> None:
    server.script(fine("half", choices=[{"index": 0, "finish_reason": "length"}]))
    assert (await make().answer(ask())).truncated


async def test_a_fault_of_the_server_is_retried(server: Loopback, make: Any) -> None:
    server.script(Answer("oops", 500), fine())
    assert (await make().answer(ask())).usage.attempts == 2


async def test_retry_after_seconds_is_honoured(server: Loopback, make: Any) -> None:
    server.script(Answer("", 429, {"Retry-After": "0.3"}), fine())
    await make().answer(ask())
    assert server.heard[1].at - server.heard[0].at >= 0.29


async def test_retry_after_date_is_honoured(server: Loopback, make: Any) -> None:
    date = formatdate(int(time.time()) + 4, usegmt=True)
    server.script(Answer("", 429, {"Retry-After": date}), fine())
    await make().answer(ask())
    assert 0.9 <= server.heard[1].at - server.heard[0].at <= 4.5


async def test_a_server_that_stays_down_is_named(server: Loopback, make: Any) -> None:
    server.script(Answer("secret insides", 503))
    with pytest.raises(LlmUnavailable) as caught:
        await make().answer(ask())
    assert caught.value.message == "langbase: not reached after 4 attempts (HTTP 503)"
    assert len(server.heard) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_is_final_and_leaks_no_key(
    server: Loopback, make: Any, status: int
) -> None:
    server.script(Answer({"error": {"message": f"no pipe for {KEY} at /srv/app/x"}}, status))
    with pytest.raises(LlmRefused) as caught:
        await make().answer(ask())
    assert caught.value.message.startswith(f"langbase: refused (HTTP {status}: no pipe")
    assert KEY not in caught.value.message
    assert "/srv" not in caught.value.message
    assert len(server.heard) == 1


@pytest.mark.parametrize(
    "broken",
    [
        Answer('{"completion": "ha'),
        Answer("<html>"),
        Answer({"nothing": 1}),
        Answer(completion("x" * 500), cut=40),
        Answer(completion("x"), cut=0),
    ],
)
async def test_a_broken_reply_is_asked_for_again(
    server: Loopback, make: Any, broken: Answer
) -> None:
    server.script(broken, fine())
    assert (await make().answer(ask())).usage.attempts == 2


async def test_nobody_listening(server: Loopback, make: Any) -> None:
    with pytest.raises(LlmUnavailable, match=r"2 attempts \(connection failed\)"):
        await make(langbase_base_url="http://127.0.0.1:1", max_retries=1).answer(ask())


async def test_a_slow_server_times_out_and_is_asked_again(server: Loopback, make: Any) -> None:
    server.script(Answer(completion("late"), delay=60), fine())
    reply = await make(request_timeout_ms=2_000).answer(ask())
    assert reply.usage.attempts == 2
    await asyncio.wait_for(server.left_early.wait(), 10)


async def test_the_deadline_holds_over_all_attempts(server: Loopback, make: Any) -> None:
    server.script(fine(), Answer(completion("late"), delay=60))
    model = make(request_timeout_ms=1_000, max_retries=9)
    await model.answer(ask())  # the first call also loads certificates and connects
    started = time.monotonic()
    with pytest.raises(TimedOut, match=r"langbase: no answer within 5 s"):
        await model.answer(ask(deadline=5))
    assert time.monotonic() - started < 15
    assert 2 <= len(server.heard) - 1 <= 5


async def test_cancellation_reaches_the_server(server: Loopback, make: Any) -> None:
    server.script(Answer(completion("late"), delay=5))
    task = asyncio.create_task(make().answer(ask()))
    while not server.heard:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(server.left_early.wait(), 1)
    assert len(server.heard) == 1


async def test_questions_travel_side_by_side(server: Loopback, make: Any) -> None:
    server.script(Answer(completion("x"), delay=0.2))
    model = make()
    started = time.monotonic()
    await asyncio.gather(*[model.answer(ask()) for _ in range(10)])
    assert time.monotonic() - started < 1.5
    assert server.most_together == 10


@pytest.mark.parametrize("url", ["ftp://x", "api.langbase.com", "http://", "http://h:99999"])
def test_an_address_that_is_none_is_a_mistake(make: Any, url: str) -> None:
    with pytest.raises(SettingMistake) as caught:
        make(langbase_base_url=url)
    assert caught.value.field == "LANGBASE_BASE_URL"


@pytest.mark.parametrize("key", [None, "", " ", "a\nb", "schl\u00fcssel"])
def test_a_key_that_cannot_be_sent_is_a_mistake(make: Any, key: str | None) -> None:
    with pytest.raises(SettingMistake) as caught:
        make(langbase_api_key=key)
    assert caught.value.field == "LANGBASE_API_KEY"
    assert not key or not key.strip() or key not in caught.value.message


async def test_a_key_of_any_form_is_cut_from_a_refusal(server: Loopback, make: Any) -> None:
    server.script(Answer({"error": {"message": "who is odd.key.word?"}}, 401))
    with pytest.raises(LlmRefused) as caught:
        await make(langbase_api_key="odd.key.word").answer(ask())
    assert caught.value.message == "langbase: refused (HTTP 401: who is [...]?)"


async def test_a_schema_joins_the_system_message(server: Loopback, make: Any) -> None:
    server.script(fine())
    await make().answer(ask(schema=SCHEMA))
    messages = server.heard[0].body["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"].startswith("Think.\n\n")
