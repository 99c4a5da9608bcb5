"""Create a Graph of Thoughts with its root node, in one transaction."""

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.tools import BegunGraph, GotConfig, GotInit
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sessions.context import open_session
from reasonloom.nodes.state import ToolState
from reasonloom.nodes.thought_graph.rendering import render_config
from reasonloom.nodes.thought_graph.state import MODE
from reasonloom.stores.database import Transaction
from reasonloom.stores.sessions import sessions
from reasonloom.stores.thought_graph import graph_nodes, thought_graphs
from reasonloom.stores.thought_graph.graph_nodes import NewNode
from reasonloom.stores.thought_graph.thought_graphs import NewGraph


async def begin_graph(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Create the graph and its root, in the request's session or a new one."""
    execution = runtime.context
    request = execution.request(GotInit)
    run = execution.run
    async with execution.loom.database.begin(execution.caller) as tx:
        session_id = await _session(tx, execution, request)
        graph = _graph(execution, request, session_id)
        root = NewNode(
            id=run.effect("root"),
            graph_id=graph.id,
            node_type="root",
            content=request.content,
            depth=0,
            confidence=DEFAULT_CONFIDENCE,
            run_id=run.id,
        )
        await thought_graphs.create(tx, graph)
        await graph_nodes.add(tx, [root])
        begun = await thought_graphs.require(tx, str(graph.id))
        answer = BegunGraph(
            graph_id=str(graph.id),
            session_id=str(session_id),
            root_node_id=str(root.id),
            content=root.content,
            confidence=root.confidence,
            problem=request.problem or request.content,
            config=render_config(begun),
            run_id=str(run.id),
        )
        return await complete_run(tx, execution, answer, notes=[], session_id=session_id)


async def _session(tx: Transaction, execution: Execution, request: GotInit) -> UUID:
    """Return the session, locked: the request's, which must exist, or a new one."""
    if request.session_id is not None:
        return (await sessions.hold(tx, request.session_id)).id
    fresh = await open_session(tx, execution, execution.run.effect("session"), MODE)
    return (await sessions.hold(tx, str(fresh))).id


def _graph(execution: Execution, request: GotInit, session_id: UUID) -> NewGraph:
    config = request.config or GotConfig()
    return NewGraph(
        id=execution.run.effect("graph"),
        session_id=session_id,
        problem=request.problem,
        max_depth=config.max_depth,
        max_branches=config.max_branches,
        prune_threshold=config.prune_threshold,
        run_id=execution.run.id,
    )
