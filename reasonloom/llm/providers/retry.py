"""Retries retryable provider calls within one total deadline.

Providers raise `AttemptFailed`; this module decides how often and how long to try, and which error
to raise in the end. Cancellation passes through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception
from tenacity.wait import wait_exponential, wait_random

from reasonloom.errors import LlmRefused, LlmUnavailable, ServiceFault, TimedOut
from reasonloom.llm.providers.faults import AttemptFailed, NoAnswer, TooSlow
from reasonloom.settings import Settings

T = TypeVar("T")

MAX_DELAY = 30.0
"""Maximum back-off in seconds; a provider's `Retry-After` may exceed it."""

WAITING_ALLOWANCE = 60.0
"""Seconds in the default deadline for waits between attempts."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to try.

    Attributes:
        attempts: maximum requests, the first included.
        request_timeout: seconds per request.
        first_delay: seconds before the second attempt, doubled from there, with jitter.
        bound: seconds for all attempts together if a question sets no deadline.
    """

    attempts: int
    request_timeout: float
    first_delay: float
    bound: float

    @classmethod
    def of(cls, settings: Settings) -> RetryPolicy:
        """Return the policy from MAX_RETRIES, REQUEST_TIMEOUT_MS, RETRY_DELAY_MS and tool limit."""
        attempts = settings.max_retries + 1
        timeout = settings.request_timeout_ms / 1000
        return cls(
            attempts=attempts,
            request_timeout=timeout,
            first_delay=settings.retry_delay_ms / 1000,
            bound=min(settings.tool_timeout, attempts * timeout + WAITING_ALLOWANCE),
        )


async def call_with_retries(
    provider: str,
    attempt: Callable[[], Awaitable[T]],
    policy: RetryPolicy,
    deadline: float | None = None,
) -> tuple[T, int]:
    """Return the result of `attempt`, and how many attempts it took.

    Args:
        provider: name used as the prefix of messages.
        attempt: sends one request; raises `AttemptFailed`, or anything else to give up.
        policy: how often and how long to try.
        deadline: seconds in all; None for `policy.bound`.

    Raises:
        LlmRefused: the failure is not retryable.
        LlmUnavailable: all attempts failed or returned no answer.
        TimedOut: the deadline passed, the last attempt was too slow, or the next wait would end
            after the deadline.
    """
    trial = _Trial(provider, policy, policy.bound if deadline is None else deadline)
    try:
        async with asyncio.timeout(trial.limit):
            return await trial.retrying()(trial.once, attempt), trial.sent
    except TimeoutError:
        raise TimedOut(f"{provider}: no answer within {trial.limit:g} s {trial.tally}") from None
    except AttemptFailed as fault:
        raise trial.verdict(fault) from None


class _Trial:
    """The attempts at one question: how many were sent, and when they must end."""

    def __init__(self, provider: str, policy: RetryPolicy, limit: float) -> None:
        self.provider = provider
        self.policy = policy
        self.limit = limit
        self.sent = 0
        self.ends = asyncio.get_running_loop().time() + limit
        self.back_off = wait_exponential(
            multiplier=policy.first_delay, max=max(MAX_DELAY, policy.first_delay)
        ) + wait_random(0, policy.first_delay)

    @property
    def tally(self) -> str:
        return f"({self.sent} attempt{'' if self.sent == 1 else 's'})"

    def retrying(self) -> AsyncRetrying:
        return AsyncRetrying(
            retry=retry_if_exception(lambda e: isinstance(e, AttemptFailed) and e.retryable),
            wait=self.wait,
            stop=self.over,
            reraise=True,
        )

    async def once(self, attempt: Callable[[], Awaitable[T]]) -> T:
        self.sent += 1
        seconds = self.policy.request_timeout
        try:
            async with asyncio.timeout(seconds):
                return await attempt()
        except TimeoutError:
            raise TooSlow(f"no answer within {seconds:g} s") from None

    def wait(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        requested = fault.retry_after if isinstance(fault, AttemptFailed) else None
        return self.back_off(state) if requested is None else requested

    def over(self, state: RetryCallState) -> bool:
        left = self.ends - asyncio.get_running_loop().time()
        return self.exhausted or state.upcoming_sleep >= left

    @property
    def exhausted(self) -> bool:
        return self.sent >= self.policy.attempts

    def verdict(self, fault: AttemptFailed) -> ServiceFault:
        if not fault.retryable:
            return LlmRefused(f"{self.provider}: refused ({fault.reason})")
        if self.exhausted:
            tries = f"{self.sent} attempt{'' if self.sent == 1 else 's'}"
            outcome = "no usable answer" if isinstance(fault, NoAnswer) else "not reached"
            kind = TimedOut if isinstance(fault, TooSlow) else LlmUnavailable
            return kind(f"{self.provider}: {outcome} after {tries} ({fault.reason})")
        return TimedOut(
            f"{self.provider}: must wait longer than the {self.limit:g} s this may take "
            f"({fault.reason}) {self.tally}"
        )
