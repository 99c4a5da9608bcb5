"""The first node of think and ponder: reads the request and recalls memories."""

import time
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thinking.think import Context, Ponder, Think
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.mental_models.offers import offer_models
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thinking.state import Brief, ThinkingState
from reasonloom.nodes.thinking.streams import STREAMS

THINK, PONDER = "think", "ponder"
QUARTERS = 4
PARALLEL = "parallel"


async def begin_think(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Start one stream, or all of them independently."""
    request = runtime.context.request(Think)
    streams: list[str] = [*STREAMS] if request.mode == PARALLEL else [request.mode]
    brief = make_brief(THINK, request.problem, request.context, streams, quarters=1)
    return await _begin(runtime.context, brief)


async def begin_ponder(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Start all streams; without a language model there is only one quarter."""
    return await ponder_from(runtime.context, runtime.context.request(Ponder), QUARTERS)


async def ponder_from(
    execution: Execution, request: Ponder, quarters: int, *, retracts: bool = False
) -> dict[str, Any]:
    """Start all streams for `quarters` quarters; with `retracts`, for rounds of a deliberation."""
    quarters = 1 if execution.loom.llm.offline else quarters
    brief = make_brief(PONDER, request.problem, request.context, [*STREAMS], quarters=quarters)
    brief["seconds"] = request.timeout / 1000
    brief["cold"] = await _start_cold(execution, request.problem)
    if retracts:
        brief["retracts"] = True
    return await _begin(execution, brief)


async def _start_cold(execution: Execution, text: str) -> float:
    """Warm up the database and the embedder; return the run's seconds so far."""
    async with execution.loom.database.begin(execution.caller):
        await similarity_of(execution.loom.embedder, [text])
    return time.perf_counter() - execution.run.started


def make_brief(
    tool: str, problem: str, context: Context | None, streams: list[str], *, quarters: int
) -> Brief:
    """Return a brief without a time limit."""
    given = context or Context()
    return Brief(
        tool=tool,
        problem=problem,
        background=given.known(),
        constraints=given.constraints or [],
        goals=given.goals or [],
        streams=streams,
        quarters=quarters,
        seconds=None,
    )


async def _begin(execution: Execution, brief: Brief) -> dict[str, Any]:
    memories, notes = await recall_for(execution, brief["problem"])
    models = await offer_models(execution, brief["problem"])
    brief["background"] = models.append_to(brief["background"])
    return {
        "brief": brief,
        "memories": memories,
        "barrier": {"quarter": 1, "stopped": None},
        "notes": [*notes, *models.notes],
    }
