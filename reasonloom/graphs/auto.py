"""Choosing a mode: measure the problem, hear the llm's vote, recommend; then run it if asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import FollowUp, Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.auto import AutoState, hear_vote, measure_problem, recommend_mode
from reasonloom.nodes.reasoning.routing.choice import TOOLS

Given = dict[str, Any]
NO_CHECKPOINT = "there is no checkpoint to go back to: name a session that has one"
NOT_ONE_CALL = "{mode} is not run by one call; call its own tools"


def _on_content(request: Given, answer: Given) -> Given:
    return {name: request[name] for name in ("content", "session_id") if name in request}


def _from_checkpoint(request: Given, answer: Given) -> Given:
    session = {"session_id": request["session_id"]} if "session_id" in request else {}
    return {
        "checkpoint_id": answer["checkpoint_id"], "new_direction": request["content"], **session,
    }  # fmt: skip


def _on_problem(request: Given, answer: Given) -> Given:
    return {"problem": request["content"]}


EXECUTED: Mapping[str, tuple[str, Callable[[Given, Given], Given]]] = MappingProxyType(
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


def execution_of(request: Given, answer: Given) -> FollowUp | None:
    """Return the call that runs the recommended mode, or why it cannot be; None if not asked."""
    if not request.get("execute"):
        return None
    mode = answer["recommended_mode"]
    name, request_of = EXECUTED.get(mode, ("", _on_content))
    if not name or find_spec(f"reasonloom.graphs.{name}") is None:
        return FollowUp(refused=NOT_ONE_CALL.format(mode=mode))
    if mode == "backtracking" and "checkpoint_id" not in answer:
        return FollowUp(refused=NO_CHECKPOINT)
    return FollowUp(TOOLS[mode], name, request_of(request, answer))


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of choosing a mode."""
    graph = StateGraph(AutoState, context_schema=Execution)
    graph.add_node("measure_problem", measure_problem)
    graph.add_node("hear_vote", hear_vote)
    graph.add_node("recommend_mode", recommend_mode)
    graph.add_edge(START, "measure_problem")
    graph.add_edge("measure_problem", "hear_vote")
    graph.add_edge("hear_vote", "recommend_mode")
    graph.add_edge("recommend_mode", END)
    return graph


def more_steps(request: dict[str, Any]) -> int | None:
    """Return None where a mode follows that is yet to be chosen."""
    return None if request.get("execute") else 0


GRAPH = Graph("auto", 1, build, saved=True, writes=True, more_steps=more_steps, follow=execution_of)
