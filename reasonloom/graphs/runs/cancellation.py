"""Awaits work in a task of its own, so that a cancellation reaches it once."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

import anyio

T = TypeVar("T")
PATIENCE = 2.0
"""Seconds in which cancelled work may still write what it must."""


async def await_cancellable(work: Awaitable[T], patience: float = PATIENCE) -> T:
    """Return the result of `work`; if the waiting is cancelled, cancel it and wait for its end.

    anyio cancels a task again each time it waits, until it has left its scope. LangGraph waits
    while it stops the nodes of a step: the second cancellation would end that waiting, and their
    calls of language models would continue.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        await await_shielded(asyncio.wait([task]), patience)
        raise


async def await_shielded(work: Awaitable[object], patience: float = PATIENCE) -> None:
    """Wait for `work` even if the waiting task is cancelled, at most `patience` seconds.

    What has not ended by then continues by itself: a database that hangs must delay neither a time
    limit nor the end of a process.
    """
    task = asyncio.ensure_future(work)
    with anyio.CancelScope(shield=True), suppress(TimeoutError):
        async with asyncio.timeout(patience):
            await asyncio.shield(task)
