from __future__ import annotations

import asyncio
import time

import pytest

from reasonloom.errors import LlmRefused, LlmUnavailable, TimedOut
from reasonloom.llm.providers.faults import AttemptFailed
from reasonloom.llm.providers.retry import Patience, persist
from tests.llm.conftest import MakeSettings

QUICK = Patience(attempts=4, request_timeout=1.0, first_delay=0.001, bound=5.0)


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
    assert await persist("box", Flaky(busy(), busy()), QUICK) == ("done", 3)


async def test_gives_up_after_all_attempts_naming_the_provider() -> None:
    flaky = Flaky(*[busy() for _ in range(9)])
    with pytest.raises(LlmUnavailable) as caught:
        await persist("langbase", flaky, QUICK)
    assert caught.value.message == "langbase: not reached after 4 attempts (HTTP 503)"
    assert caught.value.retryable
    assert len(flaky.times) == 4


async def test_no_retries_means_one_attempt() -> None:
    once = Patience(attempts=1, request_timeout=1, first_delay=1, bound=5)
    with pytest.raises(LlmUnavailable, match="after 1 attempt "):
        await persist("box", Flaky(busy()), once)


async def test_a_refusal_is_not_tried_again() -> None:
    flaky = Flaky(AttemptFailed("HTTP 401: no", retryable=False))
    with pytest.raises(LlmRefused, match=r"^box: refused \(HTTP 401: no\)$"):
        await persist("box", flaky, QUICK)
    assert len(flaky.times) == 1


async def test_retry_after_is_waited_for() -> None:
    flaky = Flaky(busy(retry_after=0.2))
    await persist("box", flaky, QUICK)
    assert 0.19 <= flaky.times[1] - flaky.times[0] < 1


async def test_delays_grow() -> None:
    flaky = Flaky(busy(), busy(), busy())
    await persist("box", flaky, Patience(4, 1.0, 0.04, 5.0))
    gaps = [b - a for a, b in zip(flaky.times, flaky.times[1:], strict=False)]
    assert 0.04 <= gaps[0] < 0.14
    assert gaps[1] >= 0.08
    assert gaps[2] >= 0.16


async def test_does_not_wait_beyond_the_deadline() -> None:
    started = time.monotonic()
    with pytest.raises(TimedOut, match=r"must wait longer than the 0.5 s .*HTTP 503"):
        await persist("box", Flaky(busy(retry_after=60)), QUICK, deadline=0.5)
    assert time.monotonic() - started < 0.4


async def test_the_deadline_counts_all_attempts_together() -> None:
    async def slow() -> str:
        await asyncio.sleep(0.05)
        raise busy()

    started = time.monotonic()
    with pytest.raises(TimedOut, match=r"^box: "):
        await persist("box", slow, Patience(99, 1.0, 0.001, 9.0), deadline=0.2)
    assert 0.1 < time.monotonic() - started < 0.6


async def test_the_deadline_stops_a_hanging_attempt() -> None:
    with pytest.raises(TimedOut, match=r"^box: no answer within 0.05 s \(1 attempt\)$"):
        await persist("box", lambda: asyncio.sleep(9, "late"), QUICK, deadline=0.05)


async def test_a_hanging_attempt_is_retried_after_the_request_timeout() -> None:
    with pytest.raises(LlmUnavailable, match=r"2 attempts \(no answer within 0.02 s\)"):
        await persist("box", lambda: asyncio.sleep(9, "late"), Patience(2, 0.02, 0.001, 5.0))


async def test_cancellation_is_not_retried() -> None:
    flaky: list[int] = []

    async def hang() -> None:
        flaky.append(1)
        await asyncio.sleep(9)

    task = asyncio.create_task(persist("box", hang, QUICK))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert flaky == [1]


async def test_cancellation_while_waiting_passes() -> None:
    task = asyncio.create_task(persist("box", Flaky(busy(retry_after=3)), QUICK))
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
        await persist("box", broken, QUICK)
    assert calls == [1]


def test_patience_reads_the_references_settings(make_settings: MakeSettings) -> None:
    patience = Patience.of(
        make_settings(max_retries=2, request_timeout_ms=500, retry_delay_ms=20, tool_timeout=7)
    )
    assert patience == Patience(attempts=3, request_timeout=0.5, first_delay=0.02, bound=7)
