"""Tells what a walk came to: a chain in order of time, or what search found and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.contracts.history import HistoryFound
from reasonloom.nodes.history.chains.chains import why_told
from reasonloom.nodes.history.rendering import Piece, Telling, tell
from reasonloom.text import tokens

if TYPE_CHECKING:
    from reasonloom.nodes.history.chains.walk import Walked
    from reasonloom.stores.history.chunk_walks import WalkChunk


@dataclass(frozen=True, slots=True)
class Words:
    """What a tool says above what it found, by `n` and `tokens`, and where there is nothing."""

    head: str
    nothing: str

    def over(self, number: int, size: int) -> str:
        """Return the line above `number` pieces in a text of `size` tokens."""
        return self.head.format(n=number, tokens=size)


def narrated(walked: Walked, words: Words, budget: int) -> HistoryFound:
    """Return the answer within `budget` tokens: the chain, else what search found."""
    told = _chain(walked, words, budget) if walked.chain else _found(walked, words, budget)
    return HistoryFound(
        text=told.text,
        chunks=told.chunks,
        tokens=told.tokens,
        chain=walked.chain is not None,
        diagnostics=walked.diagnostics,
    )


def _chain(walked: Walked, words: Words, budget: int) -> Telling:
    """Tell a chain, every piece of it, oldest first."""
    chain = walked.chain
    ids = chain.ids if chain else ()
    order = sorted(ids, key=lambda key: walked.found.chunks[key].place)
    why = why_told(chain, order) if chain else {}
    pieces = [_piece(walked, key, why.get(key)) for key in order]
    return tell(pieces, budget, head=words.over, shared=True, reserved=walked.found.notes)


def _found(walked: Walked, words: Words, budget: int) -> Telling:
    """Tell what search found, best first, and below it why there is no chain."""
    bracket = walked.bracket or ""
    pieces = [_piece(walked, key, None) for key in walked.found.seeds]
    if not pieces:
        return _nothing(words, bracket, budget)
    return tell(pieces, budget, head=words.over, below=[bracket], reserved=walked.found.notes)


def _nothing(words: Words, bracket: str, budget: int) -> Telling:
    text = f"{words.nothing}\n\n{bracket}"
    text = text if tokens.count(text) <= budget else words.nothing
    return Telling(text, [], tokens.count(text), 0)


def _piece(walked: Walked, key: int, why: str | None) -> Piece:
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
