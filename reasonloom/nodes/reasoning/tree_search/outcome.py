"""What a search has found so far, and why it holds no more."""

from __future__ import annotations

from typing import Any, TypedDict

from reasonloom.nodes.reasoning.tree_search.state import Node, State, path, settings_of

REASONS = {
    None: "the search has not ended",
    "verified": "the answer was proved right",
    "complete": "nothing was left to go on from",
}


class Best(TypedDict):
    """The best thought; `node` is None and `text` empty where no candidate came at all.

    `ended` is verified, complete, exhausted, failed, or None; `exhausted` names the limit of the
    budget that was reached.
    """

    node: int | None
    text: str
    data: Any
    path: list[str]
    value: float | None
    verified: bool
    status: str | None
    ended: str | None
    exhausted: str | None
    reason: str


def best(state: State) -> Best:
    """Return the best thought so far.

    What is verified comes first, what is refuted or pruned last; answers before thoughts on the
    way, judged before unjudged, then by value, then by order of creation. Votes of two rounds do
    not compare, so that with them the deeper thought comes first.
    """
    deeper = settings_of(state).judge == "vote"
    found = max(state["nodes"][1:], key=lambda node: _standing(node, deeper), default=None)
    failed = found is None and state["ended"] == "complete"
    return Best(
        node=found["id"] if found else None,
        text=found["text"] if found else "",
        data=found["data"] if found else None,
        path=[step["text"] for step in path(state, found["id"])] if found else [],
        value=found["value"] if found else None,
        verified=found is not None and found["status"] == "verified",
        status=found["status"] if found else None,
        ended="failed" if failed else state["ended"],
        exhausted=state["exhausted"],
        reason=_reason(state, failed),
    )


def _standing(node: Node, deeper: bool) -> tuple[float, ...]:
    return (
        node["status"] == "verified",
        node["status"] not in ("refuted", "pruned"),
        node["final"],
        node["value"] is not None,
        node["depth"] if deeper else 0,
        node["value"] or 0.0,
        -node["id"],
    )


def _reason(state: State, failed: bool) -> str:
    if failed:
        return f"no candidate came: {state['nodes'][0]['fault']}"
    if state["ended"] == "exhausted":
        return f"the budget of {state['exhausted']} ran out"
    return REASONS[state["ended"]]
