"""Waits for the end of a process that may be slow, and tells one that hangs from it."""

from __future__ import annotations

import asyncio
import time

import psutil

from tests.support.killing.guillotine import Guillotine

IDLE = 60.0
"""Seconds without a point reached or a moment of computing, after which a process hangs."""


async def ended(pid: int | None, blade: Guillotine) -> None:
    """Wait for the end of a process for as long as it comes on, however slow the machine is.

    Raises:
        TimeoutError: it neither reached a point nor computed for `IDLE` seconds.
    """
    seen, since = progress(pid, blade), time.monotonic()
    while seen is not None:
        await asyncio.sleep(0.01)
        now = progress(pid, blade)
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > IDLE:
            raise TimeoutError(f"process {pid} hangs after {blade.reached[-3:]}")


def progress(pid: int | None, blade: Guillotine) -> tuple[int, float] | None:
    """Return the points reached and seconds computed; None where the process has ended."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        times = process.cpu_times()
    except psutil.Error:
        return None
    return len(blade.reached), times.user + times.system
