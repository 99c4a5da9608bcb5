"""The graph that chooses a mode, and the call that runs the chosen one if asked to."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reasonloom.graphs.graph import FollowUp, Graph, by_name, wiring
from reasonloom.nodes.reasoning.auto import AutoState, hear_vote, measure_problem, recommend_mode
from reasonloom.nodes.reasoning.routing.choice import TOOLS

Json = dict[str, Any]
NO_CHECKPOINT = "there is no checkpoint to go back to: name a session that has one"
NOT_ONE_CALL = "{mode} is not run by one call; call its own tools"


def _on_content(request: Json, answer: Json) -> Json:
    return {name: request[name] for name in ("content", "session_id") if name in request}


def _from_checkpoint(request: Json, answer: Json) -> Json:
    session = {"session_id": request["session_id"]} if "session_id" in request else {}
    return {
        "checkpoint_id": answer["checkpoint_id"], "new_direction": request["content"], **session,
    }  # fmt: skip


def _on_problem(request: Json, answer: Json) -> Json:
    return {"problem": request["content"]}


EXECUTED: Mapping[str, tuple[str, Callable[[Json, Json], Json]]] = MappingProxyType(
    {
        "linear": ("linear", _on_content),
        "tree": ("tree", _on_content),
        "divergent": ("divergent", _on_content),
        "reflection": ("reflection", _on_content),
        "backtracking": ("backtrack", _from_checkpoint),
        "ponder": ("ponder", _on_problem),
    }
)
"""For each mode that one call can run: its graph's name, and the request of its tool."""


def execution_of(request: Json, answer: Json) -> FollowUp | None:
    """Return the call that runs the recommended mode, or why there is none; None if not asked."""
    if not request.get("execute"):
        return None
    mode = answer["recommended_mode"]
    if mode not in EXECUTED:
        return FollowUp(refused=NOT_ONE_CALL.format(mode=mode))
    if mode == "backtracking" and "checkpoint_id" not in answer:
        return FollowUp(refused=NO_CHECKPOINT)
    name, request_of = EXECUTED[mode]
    return FollowUp(TOOLS[mode], name, request_of(request, answer))


GRAPHS = by_name(
    Graph(
        "auto",
        1,
        wiring(
            AutoState,
            {
                "measure_problem": measure_problem,
                "hear_vote": hear_vote,
                "recommend_mode": recommend_mode,
            },
        ),
        saved=True,
        rounds=lambda request: 1,
        writes=True,
        more_steps=lambda request: None if request.get("execute") else 0,
        follow=execution_of,
    )
)
