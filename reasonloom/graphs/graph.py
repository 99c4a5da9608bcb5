"""What a graph is to the engine, how its nodes are wired, and where each graph is found."""

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
        "export_memories", "forget", "memory_health", "prune_memories", "recall", "remember",
        "restore_memory", "search", "update_memory",
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
"""The graphs of each module of this package, which is imported when one of them is asked for."""

MODULE_OF = {name: module for module, names in MODULES.items() for name in names}


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A call to make after another; where it cannot be made, `refused` says why."""

    tool: str = ""
    graph: str = ""
    request: dict[str, Any] = field(default_factory=dict)
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """A state machine that answers tools.

    Attributes:
        name: its name in `MODULES` and in the rows of its runs.
        version: raised when a node is renamed or the state changes, so that a run saved under
            another version is not resumed.
        build: returns the wiring, not yet compiled.
        saved: steps are saved and a killed run is resumed; true where an llm is called.
        saved_offline: False where steps are saved only with a language model; without one they
            are so quick that saving would cost more.
        stateless: its answer rests on the request alone, so that it can be given without a
            database, by words and unrecorded.
        writes: the last node records the run in the transaction of its writes.
        components: what the `thought` reference calls the parts used, or a function that returns
            them for a request.
        of_llm: further parts, used only with a language model.
        more_steps: returns for a request how many more steps than nodes a usual run has, None
            where that is unknown; without it there are as many.
        words: plain words for nodes whose names do not say what is done.
        follow: returns from request and answer the call to make next, if any; it is a run of its
            own, and its answer is returned under `result`.
        seconds: returns for a request the time limit of its run, where that may be longer than
            `REASONLOOM_TOOL_TIMEOUT`.
        rounds: returns for a request how often a run asks its caller at most, where the caller is
            the language model; None where that is unknown.
    """

    name: str
    version: int
    build: Callable[[], StateGraph[Any, Execution, Any, Any]]
    saved: bool = False
    saved_offline: bool = True
    stateless: bool = False
    writes: bool = False
    components: tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]] = ()
    of_llm: tuple[str, ...] = ()
    more_steps: Callable[[dict[str, Any]], int | None] | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    follow: Callable[[dict[str, Any], dict[str, Any]], FollowUp | None] | None = None
    rounds: Callable[[dict[str, Any]], int] | None = None
    seconds: Callable[[dict[str, Any]], float] | None = None

    def saves(self, *, offline: bool) -> bool:
        """Tell whether a run's steps are saved, with a language model or `offline`."""
        return self.saved and (self.saved_offline or not offline)

    def used(self, request: dict[str, Any], *, offline: bool) -> tuple[str, ...]:
        """Return the parts that a request uses, with a language model or `offline`."""
        parts = self.components(request) if callable(self.components) else self.components
        return parts + (() if offline else self.of_llm)

    def describe(self, node: str) -> str:
        """Return a node's name in plain words."""
        return self.words.get(node, node.replace("_", " "))


def wiring(
    state: type[Any],
    nodes: Mapping[str, Node],
    routes: Mapping[str, Route] | None = None,
    inputs: Mapping[str, type[Any]] | None = None,
) -> Callable[[], StateGraph[Any, Execution, Any, Any]]:
    """Return a builder of the graph whose nodes run one after another, from START to END.

    Args:
        state: the schema of the graph's state.
        nodes: the nodes by name, in their order.
        routes: where a node leads if not to the next one: another node, or a function that
            chooses and the nodes that it chooses from.
        inputs: the schemas of nodes that are sent a payload instead of the state.
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
    """Return the graph of a tool that is one node, named `step` where it differs from `name`."""
    build = wiring(ToolState, {step or name: node})
    return Graph(name, 1, build, writes=writes, components=components)


def by_name(*graphs: Graph) -> dict[str, Graph]:
    """Return graphs by their names, as a module of this package offers them in `GRAPHS`."""
    return {graph.name: graph for graph in graphs}


def load_graph(name: str) -> Graph:
    """Return a graph by its name.

    Raises:
        InternalFault: there is none such.
    """
    if name not in MODULE_OF:
        raise InternalFault(f"graph {name}")
    graphs: dict[str, Graph] = import_module(f"reasonloom.graphs.{MODULE_OF[name]}").GRAPHS
    return graphs[name]
