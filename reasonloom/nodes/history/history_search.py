"""Answers `search`: what was said and done about something, the most relevant first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.contracts.history import HistoryFound, HistorySearch
from reasonloom.nodes.history.fitting import room
from reasonloom.nodes.history.rendering import tell
from reasonloom.nodes.history.search import searched

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState

NOTHING = "No relevant memory found."
HEAD = 14
"""About the tokens of the first line and the space below it."""


async def history_search(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return passages of past conversations that answer the query, within the budget.

    Raises:
        UnknownName: there is no such project.
    """
    execution = runtime.context
    request = HistorySearch.model_validate(state["request"])
    budget = execution.loom.settings.max_response_tokens
    found = await searched(execution, request.query, request.project, budget - HEAD)
    if not found.pieces:
        answer = HistoryFound(text=NOTHING, chunks=[], tokens=0, chain=False, diagnostics=None)
        return {"answer": answer.wire(), "notes": found.notes}
    telling = tell(found.pieces, room(budget, found.notes), head=head)
    chunks = [
        chunk.model_copy(update={"cut": True}) if int(chunk.id[4:]) in found.partly else chunk
        for chunk in telling.chunks
    ]
    answer = HistoryFound(
        text=telling.text, chunks=chunks, tokens=telling.tokens, chain=False, diagnostics=None
    )
    return {"answer": answer.wire(), "notes": found.notes}


def head(chunks: int, size: int) -> str:
    """Return the first line, as in the reference."""
    return f"Found {chunks} relevant memory chunks ({size} tokens):"
