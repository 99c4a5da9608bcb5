"""What thinking carries from step to step."""

from __future__ import annotations

from collections.abc import Iterable
from operator import add
from typing import Annotated, Any, TypedDict

from reasonloom.nodes.state import ToolState

Said = dict[str, Any]
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
    said: Annotated[list[Said], add]
    barrier: Barrier
    synthesis: dict[str, Any]
    checks: Annotated[list[dict[str, Any]], add]
    redone: float


class Task(TypedDict):
    """What one stream's quarter is given."""

    brief: Brief
    memories: list[dict[str, Any]]
    said: list[Said]
    stream: str
    quarter: int


def latest(brief: Brief, said: Iterable[Said]) -> list[Said]:
    """Return what was said, by quarter and stream; of what was said anew, the newer."""
    found = {(each["quarter"], brief["streams"].index(each["stream"])): each for each in said}
    return [found[place] for place in sorted(found)]


def came(brief: Brief, said: Iterable[Said]) -> list[Said]:
    """Return what was said without what failed."""
    return [each for each in latest(brief, said) if "fault" not in each]


def last_of(brief: Brief, said: Iterable[Said]) -> dict[str, Said]:
    """Return the last that each stream said, in the streams' order."""
    newest = {each["stream"]: each for each in came(brief, said)}
    return {name: newest[name] for name in brief["streams"] if name in newest}


def insights_of(said: Iterable[Said]) -> list[dict[str, Any]]:
    """Return all insights with their stream, in their order."""
    return [{**one, "stream": each["stream"]} for each in said for one in each["insights"]]


def reactions_of(said: Iterable[Said]) -> list[dict[str, Any]]:
    """Return all reactions; of one stream's to one insight, the last."""
    found = {(one["by"], one["to"]): one for each in said for one in each["reactions"]}
    return list(found.values())


def of_quarter(said: Iterable[Said], quarter: int) -> list[Said]:
    """Return what was said in a quarter."""
    return [each for each in said if each["quarter"] == quarter]
