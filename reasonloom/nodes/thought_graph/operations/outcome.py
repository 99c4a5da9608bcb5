"""What a plan has come to so far, and why it holds no more."""

from __future__ import annotations

from typing import TypedDict

from reasonloom.nodes.thought_graph.operations.budget import spent
from reasonloom.nodes.thought_graph.operations.machine import frontier
from reasonloom.nodes.thought_graph.operations.state import WHOLE, State, Thought

REASONS = {
    None: "the plan is at work",
    "found": "a thought on the whole problem reached the score asked for",
    "complete": "all operations are done",
}


class Outcome(TypedDict):
    """What a plan came to.

    Attributes:
        best: the best thought, None where nothing came at all.
        whole: whether it is about the whole problem.
        calls, tokens, usd: what it took.
        faults: what went wrong, by step.
    """

    best: Thought | None
    whole: bool
    ended: str | None
    exhausted: str | None
    reason: str
    calls: int
    tokens: float
    usd: float
    faults: dict[str, str]


def outcome(state: State) -> Outcome:
    """Return what a plan has come to.

    The best thought is the best scored one on the whole problem among those that the plan ends
    in; where there is none such, the best on the whole problem; else the best that it ends in.
    """
    best = _best(state)
    return Outcome(
        best=best,
        whole=best is not None and best["part"] == WHOLE,
        ended=state["ended"],
        exhausted=state["exhausted"],
        reason=REASONS.get(state["ended"], f"the budget of {state['exhausted']} ran out"),
        calls=int(spent(state, "calls")),
        tokens=spent(state, "tokens"),
        usd=spent(state, "usd"),
        faults={name: step["fault"] for name, step in state["steps"].items() if step["fault"]},
    )


def _best(state: State) -> Thought | None:
    made = [each for each in state["thoughts"].values() if each["kind"] != "root"]
    ends = [each for each in frontier(state) if each["kind"] != "root"]
    for pool in (_whole(ends), _whole(made), ends, made):
        if pool:
            return max(pool, key=lambda each: -1.0 if each["score"] is None else each["score"])
    return None


def _whole(thoughts: list[Thought]) -> list[Thought]:
    return [each for each in thoughts if each["part"] == WHOLE]
