"""Awaits work in a separate task, so that it is cancelled only once."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

import anyio

T = TypeVar("T")
PATIENCE = 2.0
"""Seconds that cancelled work has to finish its writes."""


async def await_cancellable(work: Awaitable[T], patience: float = PATIENCE) -> T:
    """Return the result of `work`; on cancellation, cancel it and wait until it ends.

    anyio cancels a task again at every await until it has left its scope. LangGraph awaits while it
    stops the nodes of a step: a second cancellation would interrupt that, and the nodes' calls to
    language models would continue.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        await await_shielded(asyncio.wait([task]), patience)
        raise


async def await_shielded(work: Awaitable[object], patience: float = PATIENCE) -> None:
    """Wait up to `patience` seconds for `work`, even if the waiting task is cancelled.

    Unfinished work continues in the background: a hanging database must delay neither a time limit
    nor the shutdown of a process.
    """
    task = asyncio.ensure_future(work)
    with anyio.CancelScope(shield=True), suppress(TimeoutError):
        async with asyncio.timeout(patience):
            await asyncio.shield(task)
