"""Waits for work in a task of its own, which whoever cancels the waiting cancels once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

import anyio

T = TypeVar("T")
PATIENCE = 2.0
"""Seconds in which what is cut short writes what it has to."""


async def await_cancellable(work: Awaitable[T], patience: float = PATIENCE) -> T:
    """Return what `work` gives; where the waiting is cancelled, cancel it and see it end.

    anyio cancels a task again each time it waits, until it has left its scope. LangGraph waits
    while it stops the nodes of a step: the second cancellation would end that waiting, and their
    calls of language models would go on.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        await await_shielded(asyncio.wait([task]), patience)
        raise


async def await_shielded(work: Awaitable[object], patience: float = PATIENCE) -> None:
    """Wait for `work` though the task that waits has been cancelled, at most `patience` seconds.

    What has not ended by then goes on by itself: a database that hangs must hold up neither a
    time limit nor the end of a process.
    """
    task = asyncio.ensure_future(work)
    with anyio.CancelScope(shield=True), suppress(TimeoutError):
        async with asyncio.timeout(patience):
            await asyncio.shield(task)
