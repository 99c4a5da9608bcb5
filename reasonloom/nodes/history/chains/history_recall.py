"""Answers `recall`: what led to something, told in order; what search found where no chain does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.contracts.history import HistoryRecall
from reasonloom.nodes.history.chains.recall import Words, narrated
from reasonloom.nodes.history.chains.walk import walk

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState

WORDS = Words(
    head="Found {n} relevant memory chunks ({tokens} tokens):", nothing="No relevant memory found."
)


async def history_recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the chain of causes that has most to do with the query, oldest first."""
    execution = runtime.context
    request = HistoryRecall.model_validate(state["request"])
    budget = execution.loom.settings.max_response_tokens
    walked = await walk(execution, request.query, request.project, forward=False, budget=budget)
    answer = narrated(walked, WORDS, budget)
    return {"answer": answer.wire(), "notes": walked.found.notes}
