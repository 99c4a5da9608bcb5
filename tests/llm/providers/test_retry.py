""""""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import pytest

from reasonloom.errors import LlmRefused, LlmUnavailable, TimedOut
from reasonloom.llm.providers.faults import (
    EXCERPT_LIMIT,
    AttemptFailed,
    excerpt,
    failure_of_status,
    retry_after,
)
from reasonloom.llm.providers.retry import RetryPolicy, call_with_retries
from tests.llm.conftest import MakeSettings

QUICK = RetryPolicy(attempts=4, request_timeout=1.0, first_delay=0.001, bound=5.0)


class Flaky:
    """Fails with the given faults one after the other, then answers `done`."""

    def __init__(self, *faults: AttemptFailed) -> None:
        self.faults = list(faults)
        self.times: list[float] = []

    async def __call__(self) -> str:
        self.times.append(time.monotonic())
        await asyncio.sleep(0)
        if self.faults:
            raise self.faults.pop(0)
        return "done"


def busy(retry_after: float | None = None) -> AttemptFailed:
    return AttemptFailed("HTTP 503", retryable=True, retry_after=retry_after)


async def test_answers_after_retries_and_counts_them() -> None:
    assert await call_with_retries("box", Flaky(busy(), busy()), QUICK) == ("done", 3)


async def test_gives_up_after_all_attempts_naming_the_provider() -> None:
    flaky = Flaky(*[busy() for _ in range(9)])
    with pytest.raises(LlmUnavailable) as caught:
        await call_with_retries("langbase", flaky, QUICK)
    assert caught.value.message == "langbase: not reached after 4 attempts (HTTP 503)"
    assert caught.value.retryable
    assert len(flaky.times) == 4


async def test_no_retries_means_one_attempt() -> None:
    once = RetryPolicy(attempts=1, request_timeout=1, first_delay=1, bound=5)
    with pytest.raises(LlmUnavailable, match="after 1 attempt "):
        await call_with_retries("box", Flaky(busy()), once)


async def test_a_refusal_is_not_tried_again() -> None:
    flaky = Flaky(AttemptFailed("HTTP 401: no", retryable=False))
    with pytest.raises(LlmRefused, match=r"^box: refused \(HTTP 401: no\)$"):
        await call_with_retries("box", flaky, QUICK)
    assert len(flaky.times) == 1


async def test_retry_after_is_waited_for() -> None:
    flaky = Flaky(busy(retry_after=0.2))
    await call_with_retries("box", flaky, QUICK)
    assert 0.19 <= flaky.times[1] - flaky.times[0] < 1


async def test_delays_grow() -> None:
    flaky = Flaky(busy(), busy(), busy())
    await call_with_retries("box", flaky, RetryPolicy(4, 1.0, 0.04, 5.0))
    gaps = [b - a for a, b in zip(flaky.times, flaky.times[1:], strict=False)]
    assert 0.04 <= gaps[0] < 0.14
    assert gaps[1] >= 0.08
    assert gaps[2] >= 0.16


async def test_does_not_wait_beyond_the_deadline() -> None:
    started = time.monotonic()
    with pytest.raises(TimedOut, match=r"must wait longer than the 0.5 s .*HTTP 503"):
        await call_with_retries("box", Flaky(busy(retry_after=60)), QUICK, deadline=0.5)
    assert time.monotonic() - started < 0.4


async def test_the_deadline_counts_all_attempts_together() -> None:
    async def slow() -> str:
        await asyncio.sleep(0.05)
        raise busy()

    started = time.monotonic()
    with pytest.raises(TimedOut, match=r"^box: "):
        await call_with_retries("box", slow, RetryPolicy(99, 1.0, 0.001, 9.0), deadline=0.2)
    assert 0.1 < time.monotonic() - started < 0.6


async def test_the_deadline_stops_a_hanging_attempt() -> None:
    with pytest.raises(TimedOut, match=r"^box: no answer within 0.05 s \(1 attempt\)$"):
        await call_with_retries("box", lambda: asyncio.sleep(9, "late"), QUICK, deadline=0.05)


async def test_a_hanging_attempt_is_retried_after_the_request_timeout() -> None:
    with pytest.raises(TimedOut, match=r"2 attempts \(no answer within 0.02 s\)"):
        await call_with_retries(
            "box", lambda: asyncio.sleep(9, "late"), RetryPolicy(2, 0.02, 0.001, 5.0)
        )


async def test_cancellation_is_not_retried() -> None:
    flaky: list[int] = []

    async def hang() -> None:
        flaky.append(1)
        await asyncio.sleep(9)

    task = asyncio.create_task(call_with_retries("box", hang, QUICK))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert flaky == [1]


async def test_cancellation_while_waiting_passes() -> None:
    task = asyncio.create_task(call_with_retries("box", Flaky(busy(retry_after=3)), QUICK))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_foreign_errors_are_neither_retried_nor_hidden() -> None:
    calls: list[int] = []

    async def broken() -> None:
        calls.append(1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await call_with_retries("box", broken, QUICK)
    assert calls == [1]


def test_patience_reads_the_references_settings(make_settings: MakeSettings) -> None:
    patience = RetryPolicy.of(
        make_settings(max_retries=2, request_timeout_ms=500, retry_delay_ms=20, tool_timeout=7)
    )
    assert patience == RetryPolicy(attempts=3, request_timeout=0.5, first_delay=0.02, bound=7)


@pytest.mark.parametrize(
    ("body", "secret"),
    [
        ('{"error": {"message": "bad key sk-proj-abcdefghijk"}}', "sk-proj-abcdefghijk"),
        ("denied for Bearer tok.en-value", "tok.en-value"),
        ("see https://user:pw@host.example/x?key=1", "pw@host"),
        ("open /srv/app/secrets/key.pem failed", "/srv/app"),
        ("open C:\\keys\\mine.pem failed", "mine.pem"),
        ("api_key=hunter2 is wrong", "hunter2"),
        ("id 0123456789abcdefABCDEF is locked", "0123456789abcdefABCDEF"),
        ("our own my-odd-secret here", "my-odd-secret"),
        ("oops\nTraceback (most recent call last): boom", "boom"),
        ("<html>a page</html>", "page"),
    ],
)
def test_excerpt_cuts_out_what_must_not_leave(body: str, secret: str) -> None:
    assert secret not in excerpt(body, ["my-odd-secret"])


def test_excerpt_keeps_the_providers_own_sentence() -> None:
    body = '{"error": {"message": "The model `gpt-9-mini` does not exist", "code": 7}}'
    assert excerpt(body) == "The model `gpt-9-mini` does not exist"


def test_excerpt_is_one_short_line() -> None:
    words = excerpt("many words\n\x1b[31m" * 100)
    assert len(words) == EXCERPT_LIMIT
    assert words.isprintable()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"Retry-After": formatdate(1_000_010, usegmt=True)}, 10.0),
        ({"Retry-After": formatdate(999_000, usegmt=True)}, 0.0),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=1_000_000) == seconds


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_busy_answers_can_be_retried_and_carry_no_words(status: int) -> None:
    fault = failure_of_status(status, {}, "internal words")
    assert fault.retryable
    assert fault.reason == f"HTTP {status}"


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 422, 501])
def test_refusals_are_final(status: int) -> None:
    assert not failure_of_status(status, {}, "").retryable
