"""Persist a plan's outcome: a graph of all its thoughts, and the best one in the session."""

from typing import Any, cast
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.plans import DoneStep, RunGraph
from reasonloom.errors import LlmRefused, LlmUnavailable
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import QUOTED_CONFIDENCE, open_question
from reasonloom.nodes.reasoning.attempts import caveats
from reasonloom.nodes.reasoning.lookup import memories_used_in
from reasonloom.nodes.reasoning.persist import as_memory
from reasonloom.nodes.sessions.context import append_thought, next_thought
from reasonloom.nodes.thought_graph.graph import ThoughtGraph, reachable, read_graph
from reasonloom.nodes.thought_graph.operations.machine import frontier
from reasonloom.nodes.thought_graph.operations.outcome import Outcome, outcome
from reasonloom.nodes.thought_graph.operations.results import beats_rival, best_rival
from reasonloom.nodes.thought_graph.operations.state import START, State, Thought
from reasonloom.nodes.thought_graph.rendering import common_fields, render_node
from reasonloom.nodes.thought_graph.run.steps import GotRunState
from reasonloom.nodes.thought_graph.state import MODE, complete_operation, guess_type
from reasonloom.stores.database import Transaction
from reasonloom.stores.sessions.thoughts import NewThought
from reasonloom.stores.thought_graph import graph_edges, graph_nodes, thought_graphs
from reasonloom.stores.thought_graph.graph_edges import NewEdge
from reasonloom.stores.thought_graph.graph_nodes import NewNode
from reasonloom.stores.thought_graph.thought_graphs import NewGraph

EDGE = {"generate": "generates", "refine": "refines", "aggregate": "aggregates"}
TYPE = {"root": "root", "refine": "refinement", "aggregate": "aggregation"}
DEEPEST, BRANCHES, THRESHOLD = 20, 10, 0.3
"""Limits of the stored graph, for later operations on it."""

PART_ONLY = "the best thought is about part {part} of the problem only"
NOTHING = "the plan produced no thought: {fault}"
KEPT_INPUT = "{step}: what was merged is no better than the best of its inputs, which stays"
FOLLOWS = "What follows from this?"
OFFLINE = (
    "no language model is configured, and nothing stored is about the problem; set "
    "REASONLOOM_LLM, `reasonloom doctor` shows how"
)


async def persist_graph(state: GotRunState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store everything in one transaction and answer with the best thought.

    Raises:
        LlmUnavailable: the plan produced no thought; nothing is stored.
        LlmRefused: the same without a language model, where a retry would not help.
    """
    execution, work = runtime.context, cast("State", state["work"])
    came = outcome(work)
    if came["best"] is None and execution.loom.llm.offline:
        raise LlmRefused(NOTHING.format(fault=OFFLINE))
    if came["best"] is None:
        faults = "; ".join(dict.fromkeys(came["faults"].values())) or came["reason"]
        raise LlmUnavailable(NOTHING.format(fault=faults))
    thought = _thought(execution, state, came["best"])
    used = memories_used_in(execution, thought.content, state)
    memory, notes = await as_memory(execution, thought, used)
    notes = [*notes, *_notes(came, work)]
    async with execution.loom.database.begin(execution.caller) as tx:
        branch, forked = await append_thought(tx, execution, thought, memory.writes)
        notes = [*notes, *forked]
        graph = await _store(tx, execution, work, came["best"], thought.session_id)
        answer = _answer(execution, state, came, await read_graph(tx, str(graph)), thought, branch)
        return await complete_operation(tx, execution, state, answer, notes, thought.session_id)


async def _store(
    tx: Transaction, execution: Execution, work: State, best: Thought, session: UUID
) -> UUID:
    """Store the graph, with thoughts that led neither to the best nor to the plan's end pruned."""
    run, thoughts = execution.run, list(work["thoughts"].values())
    deepest = max(each["depth"] for each in thoughts)
    graph = NewGraph(
        id=run.effect("graph"),
        session_id=session,
        problem=work["problem"],
        max_depth=min(DEEPEST, max(1, deepest)),
        max_branches=BRANCHES,
        prune_threshold=THRESHOLD,
        run_id=run.id,
        metadata={"steps": list(work["steps"])},
    )
    await thought_graphs.create(tx, graph)
    await graph_nodes.add(tx, [_node(execution, graph.id, each) for each in thoughts])
    await graph_edges.add(tx, _edges(execution, graph.id, thoughts))
    dropped = _dropped(work, best)
    if dropped:
        pruning = run.effect("dropped")
        await graph_nodes.create_pruning(tx, pruning, graph.id, 0.0, run.id)
        await graph_nodes.set_pruned(tx, [_node_id(execution, each) for each in dropped], pruning)
    return graph.id


def _node_id(execution: Execution, thought: str) -> UUID:
    return execution.run.effect("node", thought)


def _node(execution: Execution, graph: UUID, thought: Thought) -> NewNode:
    claimed = DEFAULT_CONFIDENCE if thought["confidence"] is None else thought["confidence"]
    guessed = guess_type(thought["text"]) or "thought"
    return NewNode(
        id=_node_id(execution, thought["id"]),
        graph_id=graph,
        node_type=TYPE.get(thought["kind"], guessed),
        content=thought["text"],
        depth=thought["depth"],
        confidence=claimed,
        run_id=execution.run.id,
        llm=execution.loom.llm.name,
        score=thought["score"],
        parts={name: part for name, part in thought["scores"].items() if name != "total"},
        check=thought["check"],
        metadata={"step": thought["step"], "part": thought["part"], "data": thought["data"]},
    )


def _edges(execution: Execution, graph: UUID, thoughts: list[Thought]) -> list[NewEdge]:
    return [
        NewEdge(
            id=execution.run.effect("edge", f"{parent}>{each['id']}"),
            graph_id=graph,
            from_node=_node_id(execution, parent),
            to_node=_node_id(execution, each["id"]),
            edge_type=EDGE[each["kind"]],
            weight=1.0 if each["score"] is None else each["score"],
            run_id=execution.run.id,
        )
        for each in thoughts
        for parent in each["parents"]
    ]


def _dropped(work: State, best: Thought) -> list[str]:
    """Return the thoughts that led neither to the best one nor to any that the plan ends in.

    A plan may end in the problem itself because nothing scored better; its best thought is then not
    among those it ends in.
    """
    ends = [best["id"], *(each["id"] for each in frontier(work))]
    kept = reachable(ends, lambda each: work["thoughts"][each]["parents"])
    return [each for each in work["thoughts"] if each not in kept and each != f"{START}.0"]


def _thought(execution: Execution, state: GotRunState, best: Thought) -> NewThought:
    sure = best["score"] if best["score"] is not None else best["confidence"]
    problem, content = state["request"]["problem"], best["text"]
    if execution.loom.llm.offline:
        sure, content = QUOTED_CONFIDENCE, f"{content}\n{open_question(FOLLOWS, problem)}"
    return next_thought(
        execution,
        state["place"],
        mode=MODE,
        question=problem,
        content=content,
        confidence=DEFAULT_CONFIDENCE if sure is None else sure,
        metadata={"graph_id": str(execution.run.effect("graph")), "check": best["check"]},
    )


def _notes(came: Outcome, work: State) -> list[str]:
    best = came["best"]
    part = [] if came["whole"] or best is None else [PART_ONLY.format(part=best["part"])]
    faults = [f"{step}: {fault}" for step, fault in came["faults"].items()]
    return [*part, *faults, *_kept_inputs(work)]


def _kept_inputs(work: State) -> list[str]:
    """Return a note on each step with a merged thought that did not beat its sources."""
    beaten = {
        each["step"]: None
        for each in work["thoughts"].values()
        if (rival := best_rival(work, each)) and not beats_rival(each, rival)
    }
    return [KEPT_INPUT.format(step=step) for step in beaten]


def _answer(
    execution: Execution,
    state: GotRunState,
    came: Outcome,
    graph: ThoughtGraph,
    thought: NewThought,
    branch: UUID,
) -> RunGraph:
    best, work = cast("Thought", came["best"]), cast("State", state["work"])
    lacking = bool(came["faults"]) or not came["whole"] or came["exhausted"] is not None
    return RunGraph(
        session_id=str(thought.session_id),
        thought_id=str(thought.id),
        branch_id=str(branch),
        content=thought.content,
        score=best["score"],
        check=best["check"],
        whole=came["whole"],
        ended=came["ended"],
        reason=came["reason"],
        node_count=len(graph.nodes),
        best=render_node(graph.by_id[_node_id(execution, best["id"])]),
        steps=_steps(work),
        calls=came["calls"],
        tokens=int(came["tokens"]),
        usd=round(came["usd"], 6),
        memories_used=[
            f"mem-{each}" for each in memories_used_in(execution, thought.content, state)
        ],
        **({"exhausted": came["exhausted"]} if came["exhausted"] else {}),
        **common_fields(execution, graph, partial=lacking),
        **caveats(execution),
    )


def _steps(work: State) -> list[DoneStep]:
    return [
        DoneStep(
            id=step["id"],
            do=step["operation"]["do"],
            taken=len(step["inputs"]),
            given=len(step["outputs"]),
            standing=step["standing"],
            **({"fault": step["fault"]} if step["fault"] else {}),
        )
        for step in work["steps"].values()
        if step["id"] != START
    ]
