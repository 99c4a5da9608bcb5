"""Lets the server work between two steps of a long thread: both share one interpreter."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

WORK, REST = 0.004, 0.001
"""Seconds of work after which a thread rests so long; without it others waited up to 1.5 s."""

T = TypeVar("T")


def with_pauses(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and rest now and then between two of them."""
    rested = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - rested > WORK:
            time.sleep(REST)
            rested = time.perf_counter()
