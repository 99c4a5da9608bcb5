"""Orders the best memories of a question anew: by reading them with it, and by when they held.

A question about now is answered by the newest of those that give the same thing, one about what
was before by the oldest, one about a period by the newest of those said until its end.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier import answers
from reasonloom.nodes.memory.retrieval.answerable import as_read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from reasonloom.nodes.memory.calendar.periods import QuestionTime
    from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory

Pair = tuple[int, int]
BEST = 5
"""The best memories of a question that are ordered anew."""

READING_WEIGHT = 0.02
"""Of a reading in a score: small, since the reader errs more often than all signals together."""

MOST_READING = 3.0
EVENT = "episodic"
ALIKE = 0.5
"""The least likeness of two memories that give the same thing."""

TAGS_WEIGHT = 0.2
UNTAGGED = 0.5
"""The share of tags in common that is taken for granted where neither memory has one."""

COMPARABLE = 0.7
"""The least score of the one that held then, as a share of the other's."""

MARGIN = 1.5
"""How much worse it may answer the question, in logarithms of odds."""


async def read_best(question: str, found: Sequence[ScoredMemory]) -> dict[int, float]:
    """Return the reader's logarithm of odds that each of the best answers, by the memories' ids.

    Nothing of past conversations is read: their speakers ask more than they answer.
    """
    best = [each.memory for each in found[:BEST]]
    if any(each.source_kind == "transcript" for each in best):
        return {}
    try:
        odds = await answers([(as_read(each, question), question) for each in best])
    except EmbedderUnavailable:
        return {}
    return {each.id: reading for each, reading in zip(best, odds, strict=True)}


def by_reading(found: Sequence[ScoredMemory], readings: Mapping[int, float]) -> list[ScoredMemory]:
    """Return memories with the best of them in the order of their scores and readings.

    Superseded memories keep their place before or after those that replaced them.
    """
    best = found[:BEST]
    newer = {each.memory.id: each.memory.superseded_by or 0 for each in best}
    places, reached = {}, 0.0
    for each in reversed(best):
        last = each.memory.id
        for _ in best:
            last = newer[last] if newer[last] in newer else last
        # The score of what ranks behind counts for one that only a chain has put before it.
        reached = max(reached, each.score)
        places[each.memory.id] = reached + _bonus(last, readings)
    return [*sorted(best, key=lambda each: -places[each.memory.id]), *found[BEST:]]


def _bonus(memory_id: int, readings: Mapping[int, float]) -> float:
    reading = readings.get(memory_id, 0.0)
    return READING_WEIGHT * max(-MOST_READING, min(MOST_READING, reading))


def rivals(found: Sequence[ScoredMemory], now: datetime) -> list[Pair]:
    """Return the ids of an older and a newer one of the best, where it matters when they held.

    An older event still happened, and what is dated in the future is not known to hold.
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


def held_first(
    found: Sequence[ScoredMemory],
    readings: Mapping[int, float],
    time: QuestionTime,
    cosines: Mapping[Pair, float],
) -> list[ScoredMemory]:
    """Return memories with one that held at the time before the one that is most like it.

    `cosines` are those of the pairs that may change their order, by the ids (older, newer).
    """
    ordered = list(found)
    for place, first in enumerate(found[:BEST]):
        others = {
            likeness(first, other, cosines): other
            for other in reversed(found[place + 1 : BEST])
            if _may_precede(other, first, readings, time)
        }
        if others and (most := max(others)) >= ALIKE:
            other = others[most]
            if ordered.index(first) < ordered.index(other):
                ordered.remove(other)
                ordered.insert(ordered.index(first), other)
    return ordered


def _may_precede(
    other: ScoredMemory,
    first: ScoredMemory,
    readings: Mapping[int, float],
    time: QuestionTime,
) -> bool:
    """Return whether one memory held at the time rather than the other, and answers as well."""
    moments = first.memory.valid_from, other.memory.valid_from
    newer = moments[1] > moments[0]
    held = not newer if time.looks_back else newer or not time.knows(moments[0])
    behind = readings.get(first.memory.id, 0.0) - readings.get(other.memory.id, 0.0)
    scores = (each.score + _bonus(each.memory.id, readings) for each in (first, other))
    enough = next(scores) * COMPARABLE <= next(scores)
    return held and time.knows(moments[1]) and enough and behind <= MARGIN


def likeness(first: ScoredMemory, other: ScoredMemory, cosines: Mapping[Pair, float]) -> float:
    """Return how much two memories are about the same thing, by their cosine and common tags."""
    older, newer = sorted((first.memory, other.memory), key=lambda each: each.valid_from)
    tags, others = set(first.memory.tags), set(other.memory.tags)
    shared = len(tags & others) / len(tags | others) if tags or others else UNTAGGED
    cosine = cosines.get((older.id, newer.id))
    return 0.0 if cosine is None else cosine + TAGS_WEIGHT * shared
