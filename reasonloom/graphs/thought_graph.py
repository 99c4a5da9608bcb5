"""The graphs of the Graph of Thoughts operations, and of a whole plan of them."""

from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.graphs.graph import Graph, by_name, one_node, wiring
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.thought_graph.aggregate import (
    AggregateState,
    find_inputs,
    is_compared,
    merge,
    persist_merged,
)
from reasonloom.nodes.thought_graph.ballot_scoring import (
    Ballot,
    ScoringState,
    cast_ballot,
    make_ballots,
)
from reasonloom.nodes.thought_graph.conclude import FinalizeState, conclude, find_ends
from reasonloom.nodes.thought_graph.finalize import close_graph, weigh_conclusion
from reasonloom.nodes.thought_graph.generate import (
    GenerateState,
    find_node,
    is_complete,
    persist_nodes,
    propose,
)
from reasonloom.nodes.thought_graph.init import begin_graph
from reasonloom.nodes.thought_graph.prune import find_unscored, put_back, take_out
from reasonloom.nodes.thought_graph.refine import (
    RefineState,
    find_parent,
    is_changed,
    persist_better,
    write_anew,
)
from reasonloom.nodes.thought_graph.rendering import render_graph
from reasonloom.nodes.thought_graph.run.persist import persist_graph
from reasonloom.nodes.thought_graph.run.steps import (
    GotRunState,
    PlanTask,
    absorb_results,
    begin_plan,
    run_order,
    tasks,
)
from reasonloom.nodes.thought_graph.score import find_scored, persist_score


def _dispatch_ballots(state: ScoringState) -> list[Send]:
    """Send each ballot to a task of its own."""
    return [Send("cast_ballot", ballot) for ballot in make_ballots(state)]


def _after_writing(state: RefineState) -> list[Send] | str:
    """Compare the refined thought with its parent, unless it is unchanged."""
    return _dispatch_ballots(state) if is_changed(state) else "keep_better"


def _after_merging(state: AggregateState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Compare the merged thought with its inputs if a judge is available."""
    compared = is_compared(runtime.context, state)
    return _dispatch_ballots(state) if compared else "keep_merged"


def _after_finding(state: ScoringState) -> list[Send] | str:
    """Restore on request; otherwise score unscored nodes, or prune if there are none."""
    if state["request"].get("restore"):
        return "put_back"
    return _dispatch_ballots(state) or "take_out"


def dispatch_orders(state: GotRunState) -> list[Send] | str:
    """Send each order of the plan to a task of its own, or finish."""
    return [Send("carry_out", task) for task in tasks(state)] or "keep_graph"


GENERATE = Graph(
    "got_generate",
    1,
    wiring(
        GenerateState,
        {"find_node": find_node, "propose": propose, "keep_nodes": persist_nodes},
        routes={"propose": (is_complete, {True: "keep_nodes", False: "propose"})},
    ),
    saved=True,
    rounds=lambda request: 2,
    writes=True,
    words={"propose": "propose continuations"},
)

SCORE = Graph(
    "got_score",
    1,
    wiring(
        ScoringState,
        {"find_scored": find_scored, "cast_ballot": cast_ballot, "keep_score": persist_score},
        routes={"find_scored": (_dispatch_ballots, ["cast_ballot"])},
        inputs={"cast_ballot": Ballot},
    ),
    saved=True,
    rounds=lambda request: 1,
    writes=True,
    words={"find_scored": "find the node", "cast_ballot": "cast a blind ballot"},
)

AGGREGATE = Graph(
    "got_aggregate",
    1,
    wiring(
        AggregateState,
        {
            "find_inputs": find_inputs,
            "merge": merge,
            "cast_ballot": cast_ballot,
            "keep_merged": persist_merged,
        },
        routes={"merge": (_after_merging, ["cast_ballot", "keep_merged"])},
        inputs={"cast_ballot": Ballot},
    ),
    saved=True,
    rounds=lambda request: 2,
    writes=True,
    more_steps=lambda request: 1,
    words={"cast_ballot": "compare blind"},
)

REFINE = Graph(
    "got_refine",
    1,
    wiring(
        RefineState,
        {
            "find_parent": find_parent,
            "write_anew": write_anew,
            "cast_ballot": cast_ballot,
            "keep_better": persist_better,
        },
        routes={"write_anew": (_after_writing, ["cast_ballot", "keep_better"])},
        inputs={"cast_ballot": Ballot},
    ),
    saved=True,
    rounds=lambda request: 2,
    writes=True,
    more_steps=lambda request: 1,
    words={"find_parent": "find the node", "cast_ballot": "compare blind"},
)

PRUNE = Graph(
    "got_prune",
    1,
    wiring(
        ScoringState,
        {
            "find_unscored": find_unscored,
            "cast_ballot": cast_ballot,
            "take_out": take_out,
            "put_back": put_back,
        },
        routes={
            "find_unscored": (_after_finding, ["cast_ballot", "take_out", "put_back"]),
            "take_out": END,
        },
        inputs={"cast_ballot": Ballot},
    ),
    saved=True,
    rounds=lambda request: 1,
    writes=True,
)

FINALIZE = Graph(
    "got_finalize",
    1,
    wiring(
        FinalizeState,
        {
            "find_ends": find_ends,
            "conclude": conclude,
            "weigh_conclusion": weigh_conclusion,
            "close_graph": close_graph,
        },
    ),
    saved=True,
    rounds=lambda request: 1,
    writes=True,
)

NEXT_ORDERS = (dispatch_orders, ["carry_out", "keep_graph"])
RUN = Graph(
    "got_run",
    1,
    wiring(
        GotRunState,
        {
            "begin_plan": begin_plan,
            "carry_out": run_order,
            "take_in": absorb_results,
            "keep_graph": persist_graph,
        },
        routes={"begin_plan": NEXT_ORDERS, "take_in": NEXT_ORDERS},
        inputs={"carry_out": PlanTask},
    ),
    saved=True,
    writes=True,
    more_steps=lambda request: None,
    words={"carry_out": "carry out operations", "take_in": "read the replies"},
)

GRAPHS = by_name(
    one_node("got_init", begin_graph, step="begin_graph", writes=True),
    one_node("got_state", render_graph, step="tell_graph"),
    GENERATE,
    SCORE,
    AGGREGATE,
    REFINE,
    PRUNE,
    FINALIZE,
    RUN,
)
