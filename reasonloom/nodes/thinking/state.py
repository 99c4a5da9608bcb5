"""The state of think and ponder, and how their time is divided."""

import time
from collections.abc import Iterable, Sequence
from operator import add
from typing import Annotated, Any, NotRequired, TypedDict

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.lookup import MemoryState

StreamOutput = dict[str, Any]
"""The output of one stream in one quarter.

Keys: stream, quarter, seconds, and either `fault` (its type and message) or reasoning, insights
(each with label, content, importance, confidence), reactions (by, to, stance, about, quote,
why), conclusion, confidence, and optionally withdrawn (label and why of its own insights that it
retracts) and answer (the bare answer to a closed question).
"""


class Brief(TypedDict):
    """The task: problem, context, and the streams that work on it.

    Attributes:
        tool: `think`, `ponder` or `analyze`.
        quarters: maximum quarters; 1 if the streams do not see each other's output.
        retracts: True if the quarters are rounds of a deliberation: insights may be withdrawn,
            and it ends when the synthesis finds that the streams agree.
        seconds: the total time limit; None if only the run's own limit applies.
        cold: the run's seconds before that limit starts: opening the database, loading the
            embedder.
    """

    tool: str
    problem: str
    background: str
    constraints: list[str]
    goals: list[str]
    streams: list[str]
    quarters: int
    seconds: float | None
    cold: NotRequired[float]
    retracts: NotRequired[bool]


class Barrier(TypedDict):
    """The latest quarter; `stopped` is the reason why no other follows.

    `streams` names the streams that run in it, if not all do.
    """

    quarter: int
    stopped: str | None
    streams: NotRequired[list[str]]


class ThinkingState(MemoryState, total=False):
    """The state of think and ponder; `said` and `checks` arrive in any order.

    `points` are the points that the next round of a deliberation has to resolve.
    `redone` is `CurrentRun.started` of the process that restarted after every stream had failed.
    """

    brief: Brief
    said: Annotated[list[StreamOutput], add]
    barrier: Barrier
    synthesis: dict[str, Any]
    points: list[str]
    checks: Annotated[list[dict[str, Any]], add]
    redone: float


class StreamTask(TypedDict):
    """The input of one stream for one quarter."""

    brief: Brief
    memories: list[dict[str, Any]]
    said: list[StreamOutput]
    stream: str
    quarter: int
    points: NotRequired[list[str]]


def prompt_context(brief: Brief) -> dict[str, Any]:
    """Return the problem and its context as prompt variables."""
    return {name: brief[name] for name in ("problem", "background", "constraints", "goals")}


def latest_outputs(brief: Brief, outputs: Iterable[StreamOutput]) -> list[StreamOutput]:
    """Return the outputs by quarter and stream; of a repeated one, only the latest."""
    found = {(each["quarter"], brief["streams"].index(each["stream"])): each for each in outputs}
    return [found[place] for place in sorted(found)]


def successful_outputs(brief: Brief, outputs: Iterable[StreamOutput]) -> list[StreamOutput]:
    """Return the latest outputs without faults."""
    return [each for each in latest_outputs(brief, outputs) if "fault" not in each]


def last_outputs(brief: Brief, outputs: Iterable[StreamOutput]) -> dict[str, StreamOutput]:
    """Return each stream's last successful output, in the streams' order."""
    newest = {each["stream"]: each for each in successful_outputs(brief, outputs)}
    return {name: newest[name] for name in brief["streams"] if name in newest}


def insights_of(outputs: Iterable[StreamOutput]) -> list[dict[str, Any]]:
    """Return all insights in order, with their streams."""
    return [{**one, "stream": each["stream"]} for each in outputs for one in each["insights"]]


def reactions_of(outputs: Iterable[StreamOutput]) -> list[dict[str, Any]]:
    """Return the last reaction of each stream to each insight."""
    found = {(one["by"], one["to"]): one for each in outputs for one in each["reactions"]}
    return list(found.values())


def withdrawals_of(outputs: Iterable[StreamOutput]) -> dict[str, str]:
    """Return the labels of the insights that were withdrawn, with the first reason of each."""
    found: dict[str, str] = {}
    for each in outputs:
        for one in each.get("withdrawn", []):
            found.setdefault(one["label"], one["why"])
    return found


def name_of_part(brief: Brief) -> str:
    """Return the name of one pass of all streams."""
    return "round" if brief.get("retracts") else "quarter"


def outputs_of_quarter(outputs: Iterable[StreamOutput], quarter: int) -> list[StreamOutput]:
    """Return the outputs of one quarter."""
    return [each for each in outputs if each["quarter"] == quarter]


FIRST_SHARE = 0.5
"""Share of the time for the first quarter once one of its streams has finished."""

LAST_SHARE = 0.95
"""Share of the time for the first quarter while no stream has finished, as an answer needs one."""

FIRST_ROUND_SHARE = 0.75
"""Replaces `LAST_SHARE` in a deliberation, which always reserves time for a synthesis."""

SYNTHESIS_SHARE, CHECKS_SHARE = 0.92, 0.97
"""Shares of the time by which synthesis and checks must end; the rest is for persisting."""

PATIENCE = 1.5
"""Factor on a measured stream time to get the time allowed for a stream."""

RUN_SHARE = 0.95
"""Share of the run's own time limit that is available for thinking."""


def seconds_until(execution: Execution, brief: Brief, share: float) -> float | None:
    """Return the seconds left until `share` of the time has passed, None without a limit."""
    if brief["seconds"] is None:
        return None
    run = execution.run
    cold = 0.0 if run.resumed else brief.get("cold", 0.0)
    whole = min(brief["seconds"], execution.seconds * RUN_SHARE - cold)
    return whole * share - (time.perf_counter() - run.started - cold)


def stream_seconds(
    execution: Execution, brief: Brief, quarter: int, outputs: Sequence[StreamOutput]
) -> float | None:
    """Return the seconds that a stream may take in a quarter, None without a limit.

    In the first quarter, all of the time; see `awaited_seconds`. Later, half of the time left for
    streams, so that a hanging one leaves time for the next quarter, or `PATIENCE` times the slowest
    stream of the previous quarter if that is more. In the last round of a deliberation, all that
    is left.
    """
    retracts = brief.get("retracts")
    if quarter == 1:
        return seconds_until(execution, brief, FIRST_ROUND_SHARE if retracts else LAST_SHARE)
    left = _seconds_left(execution, brief, outputs)
    if left is None or (retracts and quarter == brief["quarters"]):
        return left
    slowest = max(_durations(outputs_of_quarter(outputs, quarter - 1)), default=0.0)
    return min(left, max(left / 2, slowest * PATIENCE))


def awaited_seconds(execution: Execution, brief: Brief, first: float) -> float | None:
    """Return how long to wait for the other streams of the first quarter once one has finished.

    The wait ends at `FIRST_SHARE` of the time, or at `PATIENCE` times the `first` stream's seconds
    if that is later; None without a limit.
    """
    left = seconds_until(execution, brief, FIRST_SHARE)
    return None if left is None else max(left, first * (PATIENCE - 1))


def is_out_of_time(
    execution: Execution,
    brief: Brief,
    quarter: int,
    outputs: Sequence[StreamOutput],
    *,
    before: float = 0.0,
) -> bool:
    """Return whether no more time remains than the fastest stream took in this quarter.

    `before` is the number of seconds that other work takes first.
    """
    left = _seconds_left(execution, brief, outputs)
    fastest = min(_durations(outputs_of_quarter(outputs, quarter)), default=0.0)
    return left is not None and left - before <= fastest


def slowest_seconds(outputs: Sequence[StreamOutput]) -> float:
    """Return the seconds of the slowest stream call, the estimate for a synthesis."""
    return max(_durations(outputs), default=0.0)


def _seconds_left(
    execution: Execution, brief: Brief, outputs: Sequence[StreamOutput]
) -> float | None:
    """Return the seconds left for streams after reserving the estimated time of a synthesis."""
    left = seconds_until(execution, brief, SYNTHESIS_SHARE)
    return None if left is None else left - slowest_seconds(outputs)


def _durations(outputs: Sequence[StreamOutput]) -> list[float]:
    return [each["seconds"] for each in outputs if "fault" not in each]
