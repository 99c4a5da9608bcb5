"""Executes a graph: compiles it once, saves its steps for its owner, reports progress."""

import logging
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph

from reasonloom.errors import Conflict, Deadlocked, OwnerMoved, StandbyLost
from reasonloom.graphs.graph import Graph
from reasonloom.graphs.runs.call import Progress, Report
from reasonloom.nodes.execution import Execution
from reasonloom.stores.saver import SavedSteps, saving_for, thread_of

log = logging.getLogger(__name__)
MOST_STEPS = 200

TRIES = 5
"""Attempts at a write that the database aborts because of a deadlock."""


class GraphExecutor:
    """Executes graphs with LangGraph, with or without saved steps."""

    def __init__(self, steps: SavedSteps) -> None:
        self._steps = steps
        self._compiled: dict[tuple[str, bool], CompiledStateGraph[Any, Any, Any, Any]] = {}

    async def direct(self, execution: Execution, graph: Graph) -> dict[str, Any]:
        """Run a graph without saving its steps; return its final state.

        It is retried on a deadlock, because writes to neighbouring memories lock rows in no common
        order, and if its owner has just moved to another database, or the read replica failed.
        Retrying is safe: an aborted transaction leaves nothing, and effects have fixed ids.
        """
        compiled = await self._compile(graph, saved=False)
        given, tries = {"request": execution.run.input}, TRIES
        while True:
            try:
                return dict(await compiled.ainvoke(given, context=execution))
            except (Deadlocked, OwnerMoved, StandbyLost):
                tries -= 1
                if not tries:
                    raise
                log.info("run %s of %s starts again", execution.run.id, execution.run.tool)

    async def begin(
        self, execution: Execution, graph: Graph, report: Report
    ) -> dict[str, Any] | None:
        """Execute a saved run from the start; return its final state, None if it must wait."""
        thread = thread_of(execution.caller.owner, execution.run.id)
        self._steps.begun.add(thread)
        try:
            start = {"request": execution.run.input}
            return await self._execute(execution, graph, report, start)
        finally:
            self._steps.begun.discard(thread)

    async def resume(
        self, execution: Execution, graph: Graph, report: Report
    ) -> dict[str, Any] | None:
        """Continue a saved run from its last saved step; return its final state.

        None if it must wait for its caller: `CurrentRun.questions` then holds the questions.

        If no saved step has tasks (the run was killed too early, or a node has been renamed), the
        run starts over: its effects are not repeated, and recorded replies are not paid for again.
        `next` is not enough to decide: a step whose tasks were all saved before the next step was
        has tasks but no `next`.
        """
        compiled = await self._compile(graph)
        saving_for.set(execution.caller.owner)
        saved = await compiled.aget_state(_config(execution))
        if not saved.tasks:
            thread = thread_of(execution.caller.owner, execution.run.id)
            await (await self._steps.open()).adelete_thread(thread)
            return await self.begin(execution, graph, report)
        return await self._execute(execution, graph, report, None)

    async def values(self, owner: str, run_id: UUID) -> dict[str, Any]:
        """Return the state in the last saved step of a run; empty if none is stored."""
        saving_for.set(owner)
        config: RunnableConfig = {"configurable": {"thread_id": thread_of(owner, run_id)}}
        saved = await (await self._steps.open()).aget_tuple(config)
        return dict(saved.checkpoint["channel_values"]) if saved else {}

    async def is_begun(self, execution: Execution, graph: Graph) -> bool:
        """Return whether a run has a saved step with tasks to continue from."""
        compiled = await self._compile(graph)
        saving_for.set(execution.caller.owner)
        return bool((await compiled.aget_state(_config(execution))).tasks)

    async def places(self, execution: Execution, graph: Graph) -> dict[str, RunnableConfig]:
        """Return, for each node of a run, the saved step after which it first ran."""
        compiled = await self._compile(graph)
        saving_for.set(execution.caller.owner)
        found: dict[str, RunnableConfig] = {}
        async for saved in compiled.aget_state_history(_config(execution)):  # newest first
            found |= {node: saved.config for node in saved.next if node != START}
        return found

    async def copy(self, execution: Execution, place: RunnableConfig) -> None:
        """Copy another run's saved step as the first step of this run."""
        saver = await self._steps.open()
        saving_for.set(execution.caller.owner)
        saved = await saver.aget_tuple(place)
        if saved is None:
            raise Conflict("the saved step is gone")
        thread = thread_of(execution.caller.owner, execution.run.id)
        config: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
        versions = saved.checkpoint["channel_versions"]
        await saver.aput(config, saved.checkpoint, saved.metadata, versions)

    async def _execute(
        self, execution: Execution, graph: Graph, report: Report, start: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        compiled = await self._compile(graph)
        saving_for.set(execution.caller.owner)
        progress = Progress(graph, execution.run, report, len(compiled.builder.nodes))
        state: dict[str, Any] = {}
        events: AsyncIterator[tuple[str, dict[str, Any]]] = compiled.astream(  # type: ignore[assignment]
            start,
            _config(execution),
            context=execution,
            stream_mode=["tasks", "values"],
            durability="sync",
        )
        try:
            async for kind, event in events:
                if kind == "values":
                    state = dict(event)
                    progress.settle()
                elif "input" in event:
                    await progress.begin(event["name"])
                else:
                    await progress.end(event["name"])
        finally:
            self._steps.unsaved.pop(thread_of(execution.caller.owner, execution.run.id), None)
        return None if execution.run.questions else state

    async def _compile(
        self, graph: Graph, *, saved: bool = True
    ) -> CompiledStateGraph[Any, Any, Any, Any]:
        if (graph.name, saved) not in self._compiled:
            saver = await self._steps.open() if saved else None
            compiled = graph.build().compile(checkpointer=saver, name=graph.name)
            self._compiled[graph.name, saved] = compiled
        return self._compiled[graph.name, saved]


def _config(execution: Execution) -> RunnableConfig:
    thread = thread_of(execution.caller.owner, execution.run.id)
    return {"configurable": {"thread_id": thread}, "recursion_limit": MOST_STEPS}
