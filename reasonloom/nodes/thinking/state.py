"""What thinking carries from step to step."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from operator import add
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from reasonloom.nodes.state import ToolState

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution


StreamOutput = dict[str, Any]
"""What one stream said in one quarter.

Keys: stream, quarter, seconds, and either `fault` (its type and message) or reasoning, insights
(each with label, content, importance, confidence), reactions (by, to, stance, about, quote,
why), conclusion, confidence.
"""


class Brief(TypedDict):
    """What is to be thought about, and how.

    Attributes:
        tool: `think` or `ponder`.
        streams: the names of those that think.
        quarters: how many there are at most; 1 where the streams do not hear each other.
        seconds: the time in all, None where the run's own limit alone holds.
    """

    tool: str
    problem: str
    background: str
    constraints: list[str]
    goals: list[str]
    streams: list[str]
    quarters: int
    seconds: float | None


class Barrier(TypedDict):
    """The quarter that was begun last; `stopped` says why it remains the last."""

    quarter: int
    stopped: str | None


class ThinkingState(ToolState, total=False):
    """The state of think and ponder; what streams and checks say comes in any order.

    `redone` is `RunBegun.started` of the process that began anew, as no stream came.
    """

    brief: Brief
    memories: list[dict[str, Any]]
    said: Annotated[list[StreamOutput], add]
    barrier: Barrier
    synthesis: dict[str, Any]
    checks: Annotated[list[dict[str, Any]], add]
    redone: float


class StreamTask(TypedDict):
    """What one stream's quarter is given."""

    brief: Brief
    memories: list[dict[str, Any]]
    said: list[StreamOutput]
    stream: str
    quarter: int


def latest_outputs(brief: Brief, said: Iterable[StreamOutput]) -> list[StreamOutput]:
    """Return what was said, by quarter and stream; of what was said anew, the newer."""
    found = {(each["quarter"], brief["streams"].index(each["stream"])): each for each in said}
    return [found[place] for place in sorted(found)]


def successful_outputs(brief: Brief, said: Iterable[StreamOutput]) -> list[StreamOutput]:
    """Return what was said without what failed."""
    return [each for each in latest_outputs(brief, said) if "fault" not in each]


def last_outputs(brief: Brief, said: Iterable[StreamOutput]) -> dict[str, StreamOutput]:
    """Return the last that each stream said, in the streams' order."""
    newest = {each["stream"]: each for each in successful_outputs(brief, said)}
    return {name: newest[name] for name in brief["streams"] if name in newest}


def insights_of(said: Iterable[StreamOutput]) -> list[dict[str, Any]]:
    """Return all insights with their stream, in their order."""
    return [{**one, "stream": each["stream"]} for each in said for one in each["insights"]]


def reactions_of(said: Iterable[StreamOutput]) -> list[dict[str, Any]]:
    """Return all reactions; of one stream's to one insight, the last."""
    found = {(one["by"], one["to"]): one for each in said for one in each["reactions"]}
    return list(found.values())


def outputs_of_quarter(said: Iterable[StreamOutput], quarter: int) -> list[StreamOutput]:
    """Return what was said in a quarter."""
    return [each for each in said if each["quarter"] == quarter]


FIRST_SHARE = 0.5
"""The share of the time that the first quarter may take: one more call must be possible."""

STREAMS_SHARE = 0.75
"""The share of the time after which no stream is waited for."""

SYNTHESIS_SHARE, CHECKS_SHARE = 0.92, 0.97
"""The shares after which neither synthesis nor checks are; the rest is for storing."""

PATIENCE = 1.5
"""How often the time of the slowest stream a stream may take in the next quarter."""

RUN_SHARE = 0.95
"""The share of the run's own limit that pondering keeps to."""


def seconds_until(execution: Execution, brief: Brief, share: float) -> float | None:
    """Return the seconds left until a share of the time is over, None without a limit."""
    if brief["seconds"] is None:
        return None
    whole = min(brief["seconds"], execution.loom.settings.tool_timeout * RUN_SHARE)
    return whole * share - (time.perf_counter() - execution.run.started)


def stream_seconds(
    execution: Execution, brief: Brief, quarter: int, said: Sequence[StreamOutput]
) -> float | None:
    """Return the seconds that a stream may take in a quarter.

    Half of what is left to the streams, so that one that hangs leaves time to the others; or
    half as much again as the slowest took in the quarter before, where that is more.
    """
    if quarter == 1:
        return seconds_until(execution, brief, FIRST_SHARE)
    left = _seconds_left(execution, brief, said)
    if left is None:
        return None
    slowest = max(_durations(outputs_of_quarter(said, quarter - 1)), default=0.0)
    return min(left, max(left / 2, slowest * PATIENCE))


def is_out_of_time(
    execution: Execution, brief: Brief, quarter: int, said: Sequence[StreamOutput]
) -> bool:
    """Tell whether the next quarter is not worth beginning.

    That is where less time is left than the fastest stream took in this one.
    """
    left = _seconds_left(execution, brief, said)
    return left is not None and left <= min(
        _durations(outputs_of_quarter(said, quarter)), default=0.0
    )


def _seconds_left(execution: Execution, brief: Brief, said: Sequence[StreamOutput]) -> float | None:
    """Return the seconds left to the streams: the synthesis may be as slow as the slowest was."""
    until = seconds_until(execution, brief, STREAMS_SHARE)
    whole = seconds_until(execution, brief, SYNTHESIS_SHARE)
    if until is None or whole is None:
        return None
    return min(until, whole - max(_durations(said), default=0.0))


def _durations(said: Sequence[StreamOutput]) -> list[float]:
    return [each["seconds"] for each in said if "fault" not in each]
