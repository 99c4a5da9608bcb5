"""Graph definitions: their properties, the wiring of their nodes, and a registry by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.errors import InternalFault
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.state import ToolState

Node = Callable[..., Any]
Route = str | tuple[Callable[..., Any], Sequence[str] | Mapping[Any, str]]

MODULES: Mapping[str, tuple[str, ...]] = {
    "evals": ("eval_compare",),
    "graph_memory.ground": ("memory_ground",),
    "graph_memory.tools": (
        "conversation_log", "memory_add", "memory_causal", "memory_context", "memory_correct",
        "memory_evidence", "memory_quality", "memory_query", "memory_resolve",
        "memory_session_resume", "memory_similar", "memory_stats", "memory_suggest",
        "memory_temporal", "memory_traverse", "memory_workspace_add", "memory_workspace_compare",
        "memory_workspace_create", "memory_workspace_list", "memory_workspace_query",
        "memory_workspace_xref", "session_end", "session_start",
    ),
    "history": (
        "history_forget", "history_hook_status", "history_list_projects", "history_list_sessions",
        "history_predict", "history_recall", "history_reconstruct", "history_search",
        "history_stats",
    ),
    "memory": (
        "batch_forget", "batch_recall", "batch_remember", "consolidate_memories",
        "export_memories", "forget", "memory_health", "memory_promote", "prune_memories", "recall",
        "remember", "restore_memory", "search", "space_grant", "space_list", "space_revoke",
        "update_memory",
    ),
    "mental_models": (
        "activate_model", "cluster_memories", "create_model", "get_model", "list_basins",
        "list_models", "predict_with_model", "propose_models", "resolve_prediction",
        "revise_model",
    ),
    "metacognition": ("assess_confidence", "detect_bias", "detect_emotion", "evaluate"),
    "reasoning.auto": ("auto",),
    "reasoning.modes": ("backtrack", "divergent", "linear", "reflection", "tree"),
    "reasoning.sessions": (
        "checkpoint_create", "checkpoint_list", "feedback", "reflection_evaluate",
        "tree_complete", "tree_focus", "tree_list",
    ),
    "thinking.analyze": ("analyze",),
    "thinking.breakdown": ("breakdown",),
    "thinking.streams": ("deliberate", "ponder", "think"),
    "thought_graph": (
        "got_aggregate", "got_finalize", "got_generate", "got_init", "got_prune", "got_refine",
        "got_run", "got_score", "got_state",
    ),
}  # fmt: skip
"""The graphs of each module of this package; a module is imported on first use."""

MODULE_OF = {name: module for module, names in MODULES.items() for name in names}


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A call to make after another; `refused` holds the reason if it cannot be made."""

    tool: str = ""
    graph: str = ""
    request: dict[str, Any] = field(default_factory=dict)
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """A state machine that answers tools.

    Attributes:
        name: its name in `MODULES` and in the rows of its runs.
        version: increased when a node is renamed or the state changes, so that runs saved under
            another version are not resumed.
        build: returns the uncompiled graph.
        saved: whether steps are saved so that a killed run is resumed; true if an LLM is called.
        saved_offline: False if steps are saved only with a language model; without one they are
            so fast that saving would cost more.
        calls_llm: returns for a request whether it may need the language model; without one, steps
            are saved as if offline.
        stateless: whether the answer depends on the request alone, so that it can be given
            without a database, offline and unrecorded.
        writes: whether the last node records the run in the transaction of its writes.
        components: the components used, as the `thought` reference names them, or a function
            that returns them for a request.
        of_llm: further components, used only with a language model.
        more_steps: returns for a request how many steps beyond one per node a typical run takes,
            None if unknown; without it, one step per node is assumed.
        words: descriptions of nodes whose names are not self-explanatory.
        follow: returns the call to make next for a request and its answer, if any; that call is
            a separate run, and its answer is returned under `result`.
        seconds: returns for a request the time limit of its run, if that may exceed
            `REASONLOOM_TOOL_TIMEOUT`.
        rounds: returns for a request the maximum number of rounds in which a run queries its
            caller, when the caller acts as the language model; None if unknown.
    """

    name: str
    version: int
    build: Callable[[], StateGraph[Any, Execution, Any, Any]]
    saved: bool = False
    saved_offline: bool = True
    calls_llm: Callable[[dict[str, Any]], bool] | None = None
    stateless: bool = False
    writes: bool = False
    components: tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]] = ()
    of_llm: tuple[str, ...] = ()
    more_steps: Callable[[dict[str, Any]], int | None] | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    follow: Callable[[dict[str, Any], dict[str, Any]], FollowUp | None] | None = None
    rounds: Callable[[dict[str, Any]], int] | None = None
    seconds: Callable[[dict[str, Any]], float] | None = None

    def saves(self, request: dict[str, Any], *, offline: bool) -> bool:
        """Return whether a run's steps are saved, with a language model or `offline`."""
        calls = not offline and (self.calls_llm is None or self.calls_llm(request))
        return self.saved and (self.saved_offline or calls)

    def used(self, request: dict[str, Any], *, offline: bool) -> tuple[str, ...]:
        """Return the components that a request uses, with a language model or `offline`."""
        parts = self.components(request) if callable(self.components) else self.components
        return parts + (() if offline else self.of_llm)

    def describe(self, node: str) -> str:
        """Return a readable description of a node."""
        return self.words.get(node, node.replace("_", " "))


def wiring(
    state: type[Any],
    nodes: Mapping[str, Node],
    routes: Mapping[str, Route] | None = None,
    inputs: Mapping[str, type[Any]] | None = None,
) -> Callable[[], StateGraph[Any, Execution, Any, Any]]:
    """Return a builder for a graph whose nodes run in sequence from START to END.

    Args:
        state: the schema of the graph's state.
        nodes: the nodes by name, in order.
        routes: the successors of nodes not followed by the next one: another node, or a routing
            function with its possible targets.
        inputs: the schemas of nodes that receive a payload instead of the state.
    """
    return partial(_build, state, nodes, routes or {}, inputs or {})


def _build(
    state: type[Any],
    nodes: Mapping[str, Node],
    routes: Mapping[str, Route],
    inputs: Mapping[str, type[Any]],
) -> StateGraph[Any, Execution, Any, Any]:
    graph: StateGraph[Any, Execution, Any, Any] = StateGraph(state, context_schema=Execution)
    for name, node in nodes.items():
        graph.add_node(name, node, input_schema=inputs.get(name))
    first, *others = nodes
    graph.add_edge(START, first)
    for name, following in zip(nodes, (*others, END), strict=True):
        route = routes.get(name, following)
        if isinstance(route, str):
            graph.add_edge(name, route)
        else:
            choose, targets = route
            graph.add_conditional_edges(
                name, choose, dict(targets) if isinstance(targets, Mapping) else list(targets)
            )
    return graph


def one_node(
    name: str,
    node: Node,
    *,
    step: str | None = None,
    writes: bool = False,
    components: tuple[str, ...] = (),
) -> Graph:
    """Return the graph of a single-node tool; the node is named `step`, by default `name`."""
    build = wiring(ToolState, {step or name: node})
    return Graph(name, 1, build, writes=writes, components=components)


def by_name(*graphs: Graph) -> dict[str, Graph]:
    """Return graphs by name, as each module of this package exposes them in `GRAPHS`."""
    return {graph.name: graph for graph in graphs}


def load_graph(name: str) -> Graph:
    """Return a graph by name.

    Raises:
        InternalFault: there is no such graph.
    """
    if name not in MODULE_OF:
        raise InternalFault(f"graph {name}")
    graphs: dict[str, Graph] = import_module(f"reasonloom.graphs.{MODULE_OF[name]}").GRAPHS
    return graphs[name]
