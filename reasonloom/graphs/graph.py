"""What a mode's module declares: its name, its version, its wiring, and how it is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.errors import InternalFault
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A call that shall follow another; or, where it cannot be made, `refused` says why."""

    tool: str = ""
    graph: str = ""
    request: dict[str, Any] = field(default_factory=dict)
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """A state machine that answers tools.

    Attributes:
        name: the module's name in this room.
        version: goes up when a node is renamed or its state changes, so that a run saved
            under another version is not resumed half-way.
        build: returns the wiring, not yet compiled.
        saved: steps are saved and a killed run is resumed; true where an llm is called.
        saved_offline: False where its steps are saved only while there is a language model:
            without one they are so quick that saving them would cost more than they do.
        writes: the last node records the run in the transaction of its writes.
        components: what the `thought` reference calls the parts used, or returns it from the
            request, where that decides which are.
        of_llm: further parts, used only where there is a language model.
        more_steps: returns from the request how many more steps than nodes a run has that goes
            as usual, None where that cannot be told; without it there are as many.
        words: plain words for nodes whose names do not tell what is done.
        follow: returns from request and answer the call that shall follow, if any; it is a run
            of its own, and its answer stands under `result`.
    """

    name: str
    version: int
    build: Callable[[], StateGraph[Any, Any, Any, Any]]
    saved: bool = False
    saved_offline: bool = True
    writes: bool = False
    components: tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]] = ()
    of_llm: tuple[str, ...] = ()
    more_steps: Callable[[dict[str, Any]], int | None] | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    follow: Callable[[dict[str, Any], dict[str, Any]], FollowUp | None] | None = None

    def saves(self, *, offline: bool) -> bool:
        """Tell whether a run's steps are saved, with a language model or `offline`."""
        return self.saved and (self.saved_offline or not offline)

    def used(self, request: dict[str, Any], *, offline: bool) -> tuple[str, ...]:
        """Return the parts that a request uses, with a language model or `offline`."""
        parts = self.components(request) if callable(self.components) else self.components
        return parts + (() if offline else self.of_llm)

    def said(self, node: str) -> str:
        """Return a node's name in plain words."""
        return self.words.get(node, node.replace("_", " "))


def load_graph(name: str) -> Graph:
    """Return the graph that the module `reasonloom.graphs.<name>` declares."""
    graph = import_module(f"reasonloom.graphs.{name}").GRAPH
    if not isinstance(graph, Graph):
        raise InternalFault(f"graph {name}")
    return graph


def single_node(
    name: str, node: Callable[..., Any]
) -> Callable[[], StateGraph[Any, Execution, Any, Any]]:
    """Return a builder of the graph START -> `name` -> END."""

    def build() -> StateGraph[Any, Execution, Any, Any]:
        graph = StateGraph(ToolState, context_schema=Execution)
        graph.add_node(name, node)
        graph.add_edge(START, name)
        graph.add_edge(name, END)
        return graph

    return build
