"""Forks of saved runs: their starting step, their prompt versions, and their record."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig

from reasonloom.errors import Conflict, UnknownName
from reasonloom.graphs.graph import Graph
from reasonloom.graphs.runs.executor import GraphExecutor
from reasonloom.nodes.execution import Execution, Loom
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow


@dataclass(frozen=True, slots=True)
class Fork:
    """A fork that starts before the node `at` and pins these prompt versions."""

    at: str
    prompts: Mapping[str, int] = field(default_factory=dict)

    def row(self, origin: UUID) -> dict[str, Any]:
        """Return the fork's record for its run's row."""
        return {"origin": str(origin), "at": self.at, "prompts": dict(self.prompts)}


def loom_of_fork(loom: Loom, fork: dict[str, Any] | None) -> Loom:
    """Return the loom that a run uses, with a fork's prompt versions pinned.

    Raises:
        UnknownName: there is no such prompt or version.
    """
    if fork is None:
        return loom
    return replace(loom, prompts=loom.prompts.pinning(fork["prompts"]))


def require_own_llm(run: RunRow, llm: str) -> None:
    """Require that this process uses a fork's language model before it resumes the fork.

    Raises:
        Conflict: this process uses another one.
    """
    if run.fork is not None and run.llm != llm:
        raise Conflict(f"fork {run.id} asks {run.llm}; set REASONLOOM_LLM={run.llm} to resume it")


async def step_before(
    executor: GraphExecutor, execution: Execution, graph: Graph, origin: RunRow, node: str
) -> RunnableConfig:
    """Return the saved step of a run after which `node` first ran.

    Raises:
        Conflict: the run is active, has no saved steps, or its graph has changed since.
        UnknownName: it has no saved step before such a node; the message lists the nodes it has.
    """
    if origin.status == runs.RUNNING:
        raise Conflict(f"run {origin.id} is running; wait for its end, or resume it")
    if graph.version != origin.graph_version:
        raise Conflict(f"run {origin.id} was created by another version of {origin.tool}")
    places = await executor.places(execution, graph) if graph.saved else {}
    if not places:
        raise Conflict(f"run {origin.id} has no saved steps to fork from")
    if node not in places:
        nodes = ", ".join(name for name in graph.build().nodes if name in places)
        raise UnknownName(f"run {origin.id} has no step {node}; it has {nodes}", field="at")
    return places[node]


async def copy_step(executor: GraphExecutor, execution: Execution, graph: Graph) -> None:
    """Copy the origin's saved step to a fork that has none yet.

    The fork's row is written first, so that a kill never leaves a saved step without a run.

    Raises:
        Conflict: the origin is gone, active, or has lost its saved steps.
    """
    fork = execution.run.fork or {}
    if await executor.is_begun(execution, graph):
        return
    async with execution.loom.database.begin(execution.caller) as tx:
        origin = await runs.find(tx, UUID(fork["origin"]))
    if origin is None:
        raise Conflict(f"run {fork['origin']} is gone, of which this one is a fork")
    at_origin = replace(execution, run=replace(execution.run, id=origin.id))
    await executor.copy(
        execution, await step_before(executor, at_origin, graph, origin, fork["at"])
    )
