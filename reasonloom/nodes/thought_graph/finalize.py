"""Close a graph: its conclusion becomes the session's next thought, in one transaction."""

from statistics import fmean
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import FinalizedGraph
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.attempts import caveats
from reasonloom.nodes.reasoning.persist import ThoughtMemory, as_memory
from reasonloom.nodes.sessions.context import fork_notes, next_thought
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thought_graph.conclude import (
    FIELD,
    FOUND,
    FinalizeState,
    agreement,
    label,
    most_similar,
)
from reasonloom.nodes.thought_graph.graph import ThoughtGraph, lock_open_graph, read_graph
from reasonloom.nodes.thought_graph.rendering import common_fields, render_node
from reasonloom.nodes.thought_graph.state import MODE, complete_operation
from reasonloom.stores.database import Transaction
from reasonloom.stores.pipelines import together
from reasonloom.stores.sessions import branches, sessions
from reasonloom.stores.sessions.thoughts import NewThought
from reasonloom.stores.thought_graph import graph_nodes, thought_graphs


async def weigh_conclusion(state: FinalizeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Measure the agreement of the terminal nodes, and find sources if none are named."""
    conclusion, ends = state["conclusion"], state["ends"]
    texts = [conclusion["content"], *(each["content"] for each in ends)]
    likeness = await similarity_of(runtime.context.loom.embedder, texts)
    named = conclusion["sources"] or most_similar(ends, conclusion["content"], likeness)
    notes = [*likeness.notes, *([] if conclusion["sources"] else [FOUND])]
    weighed = {**conclusion, "sources": named, "agreement": agreement(ends, likeness)}
    return {"conclusion": weighed, "notes": notes}


async def close_graph(state: FinalizeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the conclusion, mark the terminal nodes, close the graph, and answer.

    The session is locked before the graph.
    """
    execution = runtime.context
    thought = _thought(execution, state)
    memory, notes = await as_memory(execution, thought)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.hold(tx, state["place"]["session"])
        graph = await lock_open_graph(tx, state["place"]["graph"])
        branch = await _close(tx, execution, graph, thought, state, memory)
        notes = [*notes, *fork_notes(thought, branch)]
        closed = await read_graph(tx, state["place"]["graph"])
        answer = _answer(execution, state, closed, thought, branch)
        return await complete_operation(tx, execution, state, answer, notes, session.id)


async def _close(
    tx: Transaction,
    execution: Execution,
    graph: ThoughtGraph,
    thought: NewThought,
    state: FinalizeState,
    memory: ThoughtMemory,
) -> UUID:
    """Store the thought and close the graph with it; return the thought's branch.

    Raises:
        InvalidArgument: a terminal node was pruned or beaten in the meantime.
    """
    ends = [graph.active_node(each["id"], field=FIELD).id for each in state["ends"]]
    fork = execution.run.effect("fork")
    branch = await branches.extend(tx, thought, fork=fork, writes=memory.writes)
    await together(
        graph_nodes.set_terminal(tx, ends), thought_graphs.close(tx, graph.row, thought.id)
    )
    return branch


def _thought(execution: Execution, state: FinalizeState) -> NewThought:
    conclusion = state["conclusion"]
    return next_thought(
        execution,
        state["session"],
        mode=MODE,
        question=state["place"]["problem"],
        content=conclusion["content"],
        confidence=fmean(state["worths"]),
        metadata={"graph_id": state["place"]["graph"], "sources": _sources(state)},
    )


def _sources(state: FinalizeState) -> list[str]:
    named = state["conclusion"]["sources"]
    return [each["id"] for each in state["ends"] if label(each) in named]


def _answer(
    execution: Execution,
    state: FinalizeState,
    graph: ThoughtGraph,
    thought: NewThought,
    branch: UUID,
) -> FinalizedGraph:
    extracted = not (execution.loom.llm.offline or state["conclusion"]["made"])
    agreed = state["conclusion"]["agreement"]
    return FinalizedGraph(
        terminal_nodes=[render_node(graph.by_id[UUID(each["id"])]) for each in state["ends"]],
        conclusion=thought.content,
        confidence=round(thought.confidence, 4),
        session_id=str(thought.session_id),
        thought_id=str(thought.id),
        branch_id=str(branch),
        sources=_sources(state),
        agreement=None if agreed is None else round(agreed, 4),
        **common_fields(execution, graph, partial=extracted),
        **caveats(execution),
    )
