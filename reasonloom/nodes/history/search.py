"""Searches past conversations: ranks chunks by all signals, then selects their best passages."""

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.history import Diagnostics, HeldHistorySearch, HistoryFound
from reasonloom.nodes.execution import Execution, searching
from reasonloom.nodes.history import projects
from reasonloom.nodes.history.passages import POOL, Excerpts, past_question, read_chunks
from reasonloom.nodes.history.rendering import RenderedText, remaining_budget, render
from reasonloom.nodes.memory.retrieval.candidates import rank
from reasonloom.nodes.memory.validity import held_span, too_early_notes
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory.search.scope import Scope

NOTHING = "No relevant memory found."
HEAD_TOKENS = 14
"""Approximate tokens of the first line and the blank line below it."""


async def search_passages(execution: Execution, text: str, scope: Scope, budget: int) -> Excerpts:
    """Return the passages that best answer `text`, within `budget` tokens."""
    question = await past_question(execution, text, scope)
    async with searching(execution) as tx:
        ranking = await rank(tx, execution, question.query, scope=question.scope, pool=POOL)
        read = await read_chunks(tx, execution, question, ranking)
    unknown = [] if read.sources else await projects.project_notes(execution, scope.project)
    return read.answering(budget, [*question.notes, *unknown])


async def history_search(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return passages of past conversations that answer the query, within the budget."""
    execution = runtime.context
    request = execution.request(HeldHistorySearch)
    held = held_span(request, execution.loom.clock())
    scope = Scope(
        kinds=("transcript",),
        project=request.project,
        form=request.host,
        valid_since=held.start if held and request.between else None,
        held_to=held.end if held else None,
    )
    budget = execution.loom.settings.max_response_tokens
    found = await search_passages(execution, request.query, scope, budget - HEAD_TOKENS)
    if not found.pieces:
        early = await too_early_notes(execution, request, transcripts=True)
        return found_answer(RenderedText(NOTHING, [], 0), [*found.notes, *early])
    telling = render(found.pieces, remaining_budget(budget, found.notes), head=head_line)
    return found_answer(telling, found.notes)


def found_answer(
    rendered: RenderedText,
    notes: Sequence[str],
    *,
    chain: bool = False,
    diagnostics: Diagnostics | None = None,
) -> dict[str, Any]:
    """Return the answer with a rendered text: that of a chain, or of search results."""
    answer = HistoryFound(
        text=rendered.text,
        chunks=rendered.chunks,
        tokens=rendered.tokens,
        chain=chain,
        diagnostics=diagnostics,
    )
    return {"answer": answer.wire(), "notes": list(notes)}


def head_line(chunks: int, size: int) -> str:
    """Return the first line, as in the reference."""
    return f"Found {chunks} relevant memory chunks ({size} tokens):"
