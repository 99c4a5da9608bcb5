"""Waits for work in a task of its own, which whoever cancels the waiting cancels once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import anyio

T = TypeVar("T")


async def apart(work: Awaitable[T]) -> T:
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
        await ended(asyncio.wait([task]))
        raise


async def ended(work: Awaitable[object]) -> None:
    """Wait for `work` to its end, though the task that waits has been cancelled."""
    with anyio.CancelScope(shield=True):
        await asyncio.shield(work)
