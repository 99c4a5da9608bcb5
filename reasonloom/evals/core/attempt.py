"""One item's attempt in one epoch: what it asked, what that took, and how it is broken off.

Whoever asks on its behalf finds it in a context variable, which tasks inherit: so one engine can
answer many items at once, and each bill goes to its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from reasonloom.llm.port import Usage


@dataclass(slots=True)
class Attempt:
    """What is being done about one item.

    Attributes:
        epoch: counts the times that the item is asked, from 0.
        seed: of the whole run, the same for every system.
        usages: what its answers took, in the order in which they came.
        calls: what was asked and said.
        broken: why it, and the whole run with it, must not go on.
        task: that works on it.
    """

    epoch: int
    seed: int
    usages: list[Usage] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    broken: BaseException | None = None
    task: asyncio.Task[Any] | None = None

    async def break_off(self, why: BaseException) -> NoReturn:
        """Cancel the attempt: no graph may take `why` for an answer of its language model."""
        self.broken = self.broken or why
        if self.task is not None:
            self.task.cancel()
        await asyncio.Event().wait()
        raise AssertionError

    def usage(self) -> dict[str, float]:
        """Return calls, tokens and US dollars so far; nothing where nothing was asked."""
        if not self.usages:
            return {}
        return {
            "calls": len(self.usages),
            "tokens_in": sum(usage.tokens_in for usage in self.usages),
            "tokens_out": sum(usage.tokens_out for usage in self.usages),
            "usd": sum(usage.cost_usd or 0.0 for usage in self.usages),
        }


_PRESENT: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


def present() -> Attempt | None:
    """Return the attempt on whose behalf this runs, None outside of any."""
    return _PRESENT.get()


@contextmanager
def presented(attempt: Attempt) -> Iterator[None]:
    """Make an attempt the present one."""
    token = _PRESENT.set(attempt)
    try:
        yield
    finally:
        _PRESENT.reset(token)
