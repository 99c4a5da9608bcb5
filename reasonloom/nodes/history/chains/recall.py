"""Tells what a walk came to: a chain in order of time, or what search found and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasonloom.contracts.history import HistoryFound, HistoryPredict, HistoryRecall
from reasonloom.nodes.history.chains.chains import step_reasons
from reasonloom.nodes.history.chains.walk import walk
from reasonloom.nodes.history.rendering import Piece, RenderedText, render
from reasonloom.text import tokens

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from reasonloom.nodes.history.chains.walk import WalkResult
    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState
    from reasonloom.stores.history.chunk_links import WalkChunk


@dataclass(frozen=True, slots=True)
class WalkTexts:
    """What a tool says above what it found, by `n` and `tokens`, and where there is nothing."""

    head: str
    nothing: str

    def over(self, number: int, size: int) -> str:
        """Return the line above `number` pieces in a text of `size` tokens."""
        return self.head.format(n=number, tokens=size)


def render_walk(walked: WalkResult, words: WalkTexts, budget: int) -> HistoryFound:
    """Return the answer within `budget` tokens: the chain, else what search found."""
    rendered = (
        _render_chain(walked, words, budget)
        if walked.chain
        else _render_found(walked, words, budget)
    )
    return HistoryFound(
        text=rendered.text,
        chunks=rendered.chunks,
        tokens=rendered.tokens,
        chain=walked.chain is not None,
        diagnostics=walked.diagnostics,
    )


def _render_chain(walked: WalkResult, words: WalkTexts, budget: int) -> RenderedText:
    """Tell a chain, every piece of it, oldest first."""
    chain = walked.chain
    ids = chain.ids if chain else ()
    order = sorted(ids, key=lambda key: walked.found.chunks[key].place)
    why = step_reasons(chain, order) if chain else {}
    pieces = [_piece(walked, key, why.get(key)) for key in order]
    return render(pieces, budget, head=words.over, shared=True, reserved=walked.found.notes)


def _render_found(walked: WalkResult, words: WalkTexts, budget: int) -> RenderedText:
    """Tell what search found, best first, and below it why there is no chain."""
    bracket = walked.bracket or ""
    pieces = [_piece(walked, key, None) for key in walked.found.seeds]
    if not pieces:
        return _render_nothing(words, bracket, budget)
    return render(pieces, budget, head=words.over, below=[bracket], reserved=walked.found.notes)


def _render_nothing(words: WalkTexts, bracket: str, budget: int) -> RenderedText:
    text = f"{words.nothing}\n\n{bracket}"
    text = text if tokens.count_tokens(text) <= budget else words.nothing
    return RenderedText(text, [], tokens.count_tokens(text), 0)


def _piece(walked: WalkResult, key: int, why: str | None) -> Piece:
    chunk: WalkChunk = walked.found.chunks[key]
    return Piece(
        id=key,
        project=chunk.project,
        session=chunk.session,
        agent=chunk.agent,
        time=chunk.started_at,
        tokens=chunk.tokens,
        content=chunk.content,
        score=walked.relevance.get(key),
        why=why,
    )


RECALL_TEXTS = WalkTexts(
    head="Found {n} relevant memory chunks ({tokens} tokens):", nothing="No relevant memory found."
)


async def history_recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the chain of causes that has most to do with the query, oldest first."""
    execution = runtime.context
    request = execution.request(HistoryRecall)
    budget = execution.loom.settings.max_response_tokens
    walked = await walk(execution, request.query, request.project, forward=False, budget=budget)
    answer = render_walk(walked, RECALL_TEXTS, budget)
    return {"answer": answer.wire(), "notes": walked.found.notes}


PREDICT_TEXTS = WalkTexts(
    head="Potentially relevant context ({n} items):",
    nothing="No predictions available based on current context.",
)


async def history_predict(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return what followed in the past on moments like the context, in half of recall's budget."""
    execution = runtime.context
    request = execution.request(HistoryPredict)
    budget = execution.loom.settings.max_response_tokens // 2
    walked = await walk(execution, request.context, request.project, forward=True, budget=budget)
    answer = render_walk(walked, PREDICT_TEXTS, budget)
    return {"answer": answer.wire(), "notes": walked.found.notes}
