"""Reorders the top memories of a question by the reader's scores and by when they were valid.

Of memories that state the same thing, the newest answers a question about now, the oldest one about
the state before a change, and the newest stated before the end of a period one about that period.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier import answers
from reasonloom.nodes.memory.calendar.periods import QuestionTime
from reasonloom.nodes.memory.retrieval.answerable import READ, as_read
from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory

Pair = tuple[int, int]
"""The ids of an older and a newer memory."""

BEST = 5
"""Number of top memories that may be reordered."""

READING_WEIGHT = 0.02
"""Weight of a reading in a score: small, as the reader errs more often than all other signals."""

MOST_READING = 3.0
EVENT = "episodic"
ALIKE = 0.5
"""Minimum likeness of two memories that state the same thing."""

TAGS_WEIGHT = 0.2
UNTAGGED = 0.5
"""Share of common tags assumed if neither memory has tags."""

COMPARABLE = 0.7
"""Minimum score of the memory valid at the time, as a share of the other's score."""


class Move(NamedTuple):
    """A candidate move: `other` may be placed before `first`, with their likeness."""

    likeness: float
    first: ScoredMemory
    other: ScoredMemory


async def reorder(
    question: str,
    found: Sequence[ScoredMemory],
    time: QuestionTime,
    cosines: Mapping[Pair, float],
) -> tuple[list[ScoredMemory], dict[int, float]]:
    """Return the memories reordered, and the readings of those that were read, by id.

    The top two memories are read. `cosines` are those of the `rivals`. Past conversations are
    neither read nor reordered.
    """
    if any(each.memory.source_kind == "transcript" for each in found[:BEST]):
        return list(found), {}
    try:
        readings = await _read(question, found[:READ])
    except EmbedderUnavailable:
        return list(found), {}
    ordered = by_reading(found, readings)
    return held_first(ordered, possible_moves(ordered, time, cosines)), readings


async def _read(question: str, found: Sequence[ScoredMemory]) -> dict[int, float]:
    """Return the reader's log-odds that each memory answers the question."""
    odds = await answers([(as_read(each.memory, question), question) for each in found])
    return {each.memory.id: reading for each, reading in zip(found, odds, strict=True)}


def by_reading(found: Sequence[ScoredMemory], readings: Mapping[int, float]) -> list[ScoredMemory]:
    """Return the memories with the top two swapped if the readings outweigh the scores.

    A memory and its successor are not swapped: that order was decided explicitly, even if the
    successor scores lower.
    """
    if len(found) < READ:
        return list(found)
    first, second, *others = found
    settled = {first.memory.superseded_by, second.memory.superseded_by}
    behind = first.score - second.score
    if settled & {first.memory.id, second.memory.id} or behind < 0:
        return list(found)
    gain = _bonus(second, readings) - _bonus(first, readings)
    return [second, first, *others] if gain > behind else list(found)


def _bonus(scored: ScoredMemory, readings: Mapping[int, float]) -> float:
    reading = readings.get(scored.memory.id, 0.0)
    return READING_WEIGHT * max(-MOST_READING, min(MOST_READING, reading))


def rivals(found: Sequence[ScoredMemory], now: datetime) -> list[Pair]:
    """Return (older, newer) id pairs of top memories whose times of validity may decide.

    Pairs with an older event are excluded, since an event remains true, and so are memories dated
    in the future, which may not be valid yet.
    """
    best = [each for each in found[:BEST] if _is_rival(each, now)]
    pairs = combinations(sorted(best, key=lambda each: each.memory.valid_from), 2)
    return [
        (older.memory.id, newer.memory.id)
        for older, newer in pairs
        if older.memory.valid_from < newer.memory.valid_from and older.memory.sector != EVENT
    ]


def _is_rival(scored: ScoredMemory, now: datetime) -> bool:
    memory, suspicious = scored.memory, scored.signals and scored.signals.suspicion
    return memory.superseded_by is None and memory.valid_from <= now and not suspicious


def possible_moves(
    found: Sequence[ScoredMemory], time: QuestionTime, cosines: Mapping[Pair, float]
) -> list[Move]:
    """Return the moves by which a memory valid at the question's time may precede another."""
    moves = (
        Move(likeness(first, other, cosines), first, other)
        for first, other in combinations(found[:BEST], 2)
        if _held_instead(other, first, time) and other.score >= COMPARABLE * first.score
    )
    return [move for move in moves if move.likeness >= ALIKE]


def _held_instead(other: ScoredMemory, first: ScoredMemory, time: QuestionTime) -> bool:
    moments = first.memory.valid_from, other.memory.valid_from
    newer = moments[1] > moments[0]
    held = not newer if time.looks_back else newer or not time.knows(moments[0])
    return held and time.knows(moments[1])


def likeness(first: ScoredMemory, other: ScoredMemory, cosines: Mapping[Pair, float]) -> float:
    """Return the likeness of two rivals, from cosine and shared tags; 0 for other pairs."""
    older, newer = sorted((first.memory, other.memory), key=lambda each: each.valid_from)
    tags, others = set(first.memory.tags), set(other.memory.tags)
    shared = len(tags & others) / len(tags | others) if tags or others else UNTAGGED
    cosine = cosines.get((older.id, newer.id))
    return 0.0 if cosine is None else cosine + TAGS_WEIGHT * shared


def held_first(found: Sequence[ScoredMemory], moves: Sequence[Move]) -> list[ScoredMemory]:
    """Apply the best move for each memory: the one with the most alike."""
    likeliest: dict[int, Move] = {}
    for move in moves:
        known = likeliest.get(move.first.memory.id)
        if known is None or known.likeness < move.likeness:
            likeliest[move.first.memory.id] = move
    ordered = list(found)
    for _, first, other in likeliest.values():
        if ordered.index(first) < ordered.index(other):
            ordered.remove(other)
            ordered.insert(ordered.index(first), other)
    return ordered
