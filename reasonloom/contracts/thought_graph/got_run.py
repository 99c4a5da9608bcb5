"""A whole plan of operations run as one call, beyond the references."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Name, Request
from reasonloom.contracts.thought_graph.tools import ByLlm, Check, GraphNode


class GotRun(Request):
    """Run a plan of Graph of Thoughts operations and keep what came as a graph.

    Generate, score, keep the best, refine, aggregate, validate, repeat.
    """

    problem: Content
    plan: Annotated[
        Name | dict[str, Any],
        Field(
            description="Name (explore, deepen, sort, intersect), or a plan as docs/plans.md says"
        ),
    ] = "explore"
    session_id: Annotated[Name | None, Field(description="Session (default new)")] = None


class DoneStep(Answer):
    """One operation of the plan: how many thoughts it took and gave, and what went wrong."""

    id: str
    do: str
    taken: int
    given: int
    standing: str
    fault: str | None = None


class RunGraph(ByLlm):
    """What a plan came to; the best thought is a thought of the session.

    `whole` is false where it is about a part of the problem only; `ended` is found, complete or
    exhausted, and `check` says who stands behind `score`, null where nobody scored it.
    """

    graph_id: str
    session_id: str
    thought_id: str
    branch_id: str
    content: str
    score: float | None
    check: Check
    whole: bool
    ended: str
    reason: str
    node_count: int
    best: GraphNode
    steps: list[DoneStep]
    calls: int
    tokens: int
    usd: float
    memories_used: list[str]
    exhausted: str | None = None
