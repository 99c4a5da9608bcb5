"""The `history_recall` and `history_predict` tools: a chain in time order, or search results."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.history import HistoryPredict, HistoryRecall
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.history.chains.chains import Chain, step_reasons
from reasonloom.nodes.history.chains.walk import WalkResult, walk
from reasonloom.nodes.history.passages import Excerpts, read_chunks
from reasonloom.nodes.history.rendering import Head, Piece, RenderedText, remaining_budget, render
from reasonloom.nodes.history.search import HEAD_TOKENS, NOTHING, found_answer, head_line
from reasonloom.nodes.state import ToolState
from reasonloom.text import tokens

NO_PREDICTIONS = "No predictions available based on current context."
HEADING = 45
"""Approximate tokens of a piece's heading, including the reason why it follows."""


async def history_recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the causal chain most relevant to the query, oldest chunk first.

    Only the passages of its chunks that are relevant to the query are returned. If search finds a
    better passage than any in the chain, the search results are returned instead.
    """
    execution = runtime.context
    request = execution.request(HistoryRecall)
    budget = execution.loom.settings.max_response_tokens
    walked = await walk(execution, request.query, request.project, forward=False, budget=budget)
    found, ids = walked.found, walked.chain.ids if walked.chain else ()
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        read = await read_chunks(tx, execution, found.question, found.ranking, ids)
    if walked.chain and not read.best_is_in(ids):
        walked = walked.without_chain()
    if walked.chain:
        notes = [*found.notes, *read.notes]
        room = remaining_budget(budget, notes) - HEAD_TOKENS - HEADING * len(ids)
        pieces = _in_order(walked, walked.chain, read.pieces_of(ids, room))
        rendered = render(pieces, budget, head=head_line, shared=True, reserved=notes)
        return _answer(walked, rendered, notes)
    below = tokens.count_tokens(walked.bracket) + HEAD_TOKENS
    excerpts = read.answering(budget - below, found.notes)
    return _answer(walked, _found(walked, excerpts, head_line, NOTHING, budget), excerpts.notes)


async def history_predict(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return what followed moments similar to the context, within half of recall's budget."""
    execution = runtime.context
    request = execution.request(HistoryPredict)
    budget = execution.loom.settings.max_response_tokens // 2
    walked = await walk(execution, request.context, request.project, forward=True, budget=budget)
    notes = walked.found.notes
    if walked.chain:
        pieces = [_piece(walked, key) for key in walked.chain.ids]
        pieces = _in_order(walked, walked.chain, pieces)
        rendered = render(pieces, budget, head=_predicted, shared=True, reserved=notes)
    else:
        excerpts = Excerpts([_piece(walked, key) for key in walked.seeds], notes)
        rendered = _found(walked, excerpts, _predicted, NO_PREDICTIONS, budget)
    return _answer(walked, rendered, notes)


def _predicted(items: int, size: int) -> str:
    """Return the first line of a prediction, as in the reference."""
    return f"Potentially relevant context ({items} items):"


def _in_order(walked: WalkResult, chain: Chain, pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a chain, oldest first, each with its score and why it follows."""
    ordered = sorted(pieces, key=lambda piece: walked.found.chunks[piece.id].place)
    why = step_reasons(chain, [piece.id for piece in ordered])
    return [
        replace(piece, why=why.get(piece.id), score=walked.relevance.get(piece.id))
        for piece in ordered
    ]


def _found(
    walked: WalkResult, excerpts: Excerpts, head: Head, nothing: str, budget: int
) -> RenderedText:
    """Render the search results, best first, followed by why there is no chain."""
    bracket = walked.bracket
    if excerpts.pieces:
        return render(excerpts.pieces, budget, head=head, below=[bracket], reserved=excerpts.notes)
    text = f"{nothing}\n\n{bracket}"
    text = text if tokens.count_tokens(text) <= budget else nothing
    return RenderedText(text, [], tokens.count_tokens(text))


def _answer(walked: WalkResult, rendered: RenderedText, notes: Sequence[str]) -> dict[str, Any]:
    return found_answer(
        rendered, notes, chain=walked.chain is not None, diagnostics=walked.diagnostics
    )


def _piece(walked: WalkResult, key: int) -> Piece:
    return Piece.of(walked.found.chunks[key], score=walked.relevance.get(key))
