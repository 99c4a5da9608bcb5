"""Divides the time of pondering among the quarters, and keeps some for the synthesis."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasonloom.nodes.thinking.state import Brief, Said, of_quarter

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution

FIRST = 0.5
"""The share of the time that the first quarter may take: one more call must be possible."""

STREAMS = 0.75
"""The share of the time after which no stream is waited for."""

SYNTHESIS, CHECKS = 0.92, 0.97
"""The shares after which neither synthesis nor checks are; the rest is for storing."""

PATIENCE = 1.5
"""How often the time of the slowest stream a stream may take in the next quarter."""

RUN = 0.95
"""The share of the run's own limit that pondering keeps to."""


def left_until(execution: Execution, brief: Brief, share: float) -> float | None:
    """Return the seconds left until a share of the time is over, None without a limit."""
    if brief["seconds"] is None:
        return None
    whole = min(brief["seconds"], execution.loom.settings.tool_timeout * RUN)
    return whole * share - (time.perf_counter() - execution.run.started)


def seconds_for(
    execution: Execution, brief: Brief, quarter: int, said: Sequence[Said]
) -> float | None:
    """Return the seconds that a stream may take in a quarter.

    Half of what is left to the streams, so that one that hangs leaves time to the others; or
    half as much again as the slowest took in the quarter before, where that is more.
    """
    if quarter == 1:
        return left_until(execution, brief, FIRST)
    left = _left(execution, brief, said)
    if left is None:
        return None
    slowest = max(_times(of_quarter(said, quarter - 1)), default=0.0)
    return min(left, max(left / 2, slowest * PATIENCE))


def is_over(execution: Execution, brief: Brief, quarter: int, said: Sequence[Said]) -> bool:
    """Tell whether the next quarter is not worth beginning.

    That is where less time is left than the fastest stream took in this one.
    """
    left = _left(execution, brief, said)
    return left is not None and left <= min(_times(of_quarter(said, quarter)), default=0.0)


def _left(execution: Execution, brief: Brief, said: Sequence[Said]) -> float | None:
    """Return the seconds left to the streams: the synthesis may be as slow as the slowest was."""
    until = left_until(execution, brief, STREAMS)
    whole = left_until(execution, brief, SYNTHESIS)
    if until is None or whole is None:
        return None
    return min(until, whole - max(_times(said), default=0.0))


def _times(said: Sequence[Said]) -> list[float]:
    return [each["seconds"] for each in said if "fault" not in each]
