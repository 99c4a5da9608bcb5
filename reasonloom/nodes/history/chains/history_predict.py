"""Answers `predict`: what came after moments like this one, with them, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.contracts.history import HistoryPredict
from reasonloom.nodes.history.chains.recall import Words, narrated
from reasonloom.nodes.history.chains.walk import walk

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState

WORDS = Words(
    head="Potentially relevant context ({n} items):",
    nothing="No predictions available based on current context.",
)


async def history_predict(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return what followed in the past on moments like the context, in half of recall's budget."""
    execution = runtime.context
    request = HistoryPredict.model_validate(state["request"])
    budget = execution.loom.settings.max_response_tokens // 2
    walked = await walk(execution, request.context, request.project, forward=True, budget=budget)
    answer = narrated(walked, WORDS, budget)
    return {"answer": answer.wire(), "notes": walked.found.notes}
