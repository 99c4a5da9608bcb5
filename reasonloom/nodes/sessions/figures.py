"""The figures of a session's reasoning, computed from its thoughts alone; see docs/reasoning.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from reasonloom.nodes.similarity import likeness_of
from reasonloom.stores.sessions.branches import ACTIVE
from reasonloom.text.extraction import words_in

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder
    from reasonloom.nodes.similarity import Likeness
    from reasonloom.stores.sessions.branches import BranchRow
    from reasonloom.stores.sessions.full_sessions import WholeSession
    from reasonloom.stores.sessions.thoughts import ThoughtRow

HALF_LIFE = 5
"""Thoughts after which a thought's confidence weighs half."""

SAME_MEANING = 0.6
"""The cosine from which one word takes up another: peanuts and nuts, price and cost."""

LONGEST_TEXT = 4_000
"""Characters of a thought that are compared."""

MOST_ASKED, MOST_SAID = 200, 5_000
"""Different words of the question and of the thoughts that are compared."""


@dataclass(frozen=True, slots=True)
class Link:
    """Two consecutive thoughts and their likeness (0..1)."""

    before: ThoughtRow
    after: ThoughtRow
    likeness: float


@dataclass(frozen=True, slots=True)
class Figures:
    """A session in figures, each of 0..1 but the counts; `missed` are words nobody took up."""

    thoughts: Sequence[ThoughtRow]
    coherence: float
    confidence: float
    coverage: float
    links: Sequence[Link]
    missed: Sequence[str]
    open_branches: Sequence[BranchRow]
    notes: Sequence[str]


async def measured(embedder: Embedder, session: WholeSession) -> Figures:
    """Return the figures of a session."""
    thoughts = session.thoughts
    likeness = await likeness_of(embedder, [_text(each) for each in thoughts])
    links = links_of(thoughts, likeness)
    coverage, missed = await covered(embedder, thoughts)
    return Figures(
        thoughts,
        coherence=coherence(thoughts, links),
        confidence=confidence(thoughts, links),
        coverage=coverage,
        links=links,
        missed=missed,
        open_branches=[
            each for each in session.branches if each.state == ACTIVE and each.head_id is not None
        ],
        notes=likeness.notes,
    )


def links_of(thoughts: Sequence[ThoughtRow], likeness: Likeness) -> list[Link]:
    """Return each thought with the one it follows, once, whichever branches share them."""
    known = {each.id: each for each in thoughts}
    return [
        Link(known[each.parent_id], each, likeness.of(_text(known[each.parent_id]), _text(each)))
        for each in thoughts
        if each.parent_id in known
    ]


def coherence(thoughts: Sequence[ThoughtRow], links: Sequence[Link]) -> float:
    """Return the mean likeness of consecutive thoughts; one alone is coherent, none is not."""
    if links:
        return fmean(link.likeness for link in links)
    return 1.0 if len(thoughts) == 1 else 0.0


def confidence(thoughts: Sequence[ThoughtRow], links: Sequence[Link]) -> float:
    """Return the thoughts' mean confidence, weighted by recency and by agreement.

    A thought weighs 2 ** -(thoughts since / `HALF_LIFE`) times (1 + its mean likeness to the
    thoughts it follows and is followed by) / 2.
    """
    beside: dict[object, list[float]] = {each.id: [] for each in thoughts}
    for link in links:
        beside[link.before.id].append(link.likeness)
        beside[link.after.id].append(link.likeness)
    weights = [
        2 ** (-since / HALF_LIFE) * (1 + (fmean(beside[each.id]) if beside[each.id] else 0.0)) / 2
        for since, each in enumerate(reversed(thoughts))
    ]
    total = math.fsum(weights)
    products = (w * each.confidence for w, each in zip(weights, reversed(thoughts), strict=True))
    return math.fsum(products) / total if total else 0.0


async def covered(
    embedder: Embedder, thoughts: Sequence[ThoughtRow]
) -> tuple[float, Sequence[str]]:
    """Return the share of the first question's content words that the thoughts take up; the rest.

    A word is taken up where it is said, or one whose cosine to it is at least `SAME_MEANING`.
    """
    if not thoughts:
        return 0.0, []
    asked = list(dict.fromkeys(words_in(thoughts[0].input)))[:MOST_ASKED]
    said = dict.fromkeys(word for each in thoughts for word in words_in(each.content))
    left = [word for word in asked if word not in said]
    if left:
        others = list(said)[:MOST_SAID]
        likeness = await likeness_of(embedder, [*left, *others])
        left = [
            word
            for word in left
            if all(likeness.cosine(word, other) < SAME_MEANING for other in others)
        ]
    return (1 - len(left) / len(asked) if asked else 1.0), left


def _text(thought: ThoughtRow) -> str:
    return thought.content[:LONGEST_TEXT]
