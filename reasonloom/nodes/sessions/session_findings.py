"""What follows from a session's figures: findings by rule, each naming the thought it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasonloom.nodes.sessions.figures import Figures, Link
    from reasonloom.stores.sessions.thoughts import ThoughtRow

HIGH, LOW = 0.7, 0.4
"""Of confidence and coverage: from here it is a strength, below here a weakness."""

CLOSE, BROKEN, REPEATED = 0.35, 0.08, 0.98
"""Of the likeness of consecutive thoughts: follows closely, breaks off, says the same again."""

MOST_SHOWN = 5
"""Findings of one kind, and words in one of them."""


@dataclass(slots=True)
class Findings:
    """Sentences for the answer; each weakness has its recommendation at the same place."""

    strengths: list[str] = field(default_factory=list)
    weaknesses: list[str] = field(default_factory=list)
    recommendations: list[str] = field(default_factory=list)

    def blame(self, weakness: str, recommendation: str) -> None:
        """Add a weakness and what would mend it."""
        self.weaknesses.append(weakness)
        self.recommendations.append(recommendation)


def findings_of(figures: Figures) -> Findings:
    """Return the strengths and weaknesses that the figures show, by the rules of this module."""
    found = Findings()
    if not figures.thoughts:
        found.blame("The session holds no thought yet.", "Begin with reasoning_linear.")
        return found
    _of_links(figures, found)
    _of_confidence(figures, found)
    _of_coverage(figures, found)
    _of_branches(figures, found)
    return found


def _of_links(figures: Figures, found: Findings) -> None:
    if not figures.links:
        return
    best = max(figures.links, key=lambda link: link.likeness)
    if figures.coherence >= CLOSE:
        found.strengths.append(
            f"Steps follow closely on each other (coherence {figures.coherence:.2f}), most of all "
            f"{name(best.after)} on {name(best.before)} ({best.likeness:.2f})."
        )
    for link in _weakest(figures, below=BROKEN):
        found.blame(
            f"{name(link.after)} has little to do with {name(link.before)}, which it follows "
            f"(likeness {link.likeness:.2f}).",
            f"Say how {name(link.after)} follows from {name(link.before)}, or go back before it.",
        )
    for link in [each for each in figures.links if each.likeness >= REPEATED][:MOST_SHOWN]:
        found.blame(
            f"{name(link.after)} says again what {name(link.before)} says.",
            f"Go on from {name(link.before)} with something new.",
        )


def _weakest(figures: Figures, *, below: float) -> list[Link]:
    broken = [link for link in figures.links if link.likeness < below]
    return sorted(broken, key=lambda link: link.likeness)[:MOST_SHOWN]


def _of_confidence(figures: Figures, found: Findings) -> None:
    surest = max(figures.thoughts, key=lambda each: each.confidence)
    if surest.confidence >= HIGH:
        found.strengths.append(f"{name(surest)} is sure of itself ({surest.confidence:.2f}).")
    unsure = sorted(
        (each for each in figures.thoughts if each.confidence < LOW),
        key=lambda each: each.confidence,
    )
    for each in unsure[:MOST_SHOWN]:
        found.blame(
            f"{name(each)} is unsure of itself ({each.confidence:.2f}).",
            f"Find evidence for {name(each)}, or reflect on it with reasoning_reflection.",
        )


def _of_coverage(figures: Figures, found: Findings) -> None:
    first = name(figures.thoughts[0])
    if figures.coverage >= HIGH:
        found.strengths.append(
            f"{figures.coverage:.0%} of the words of the first question ({first}) are taken up."
        )
    if figures.missed:
        words = ", ".join(figures.missed[:MOST_SHOWN])
        rest = len(figures.missed) - MOST_SHOWN
        more = f" and {rest} more" if rest > 0 else ""
        found.blame(
            f"Of the first question ({first}) nobody takes up: {words}{more}.",
            f"Come back to what was asked: {words}{more}.",
        )


def _of_branches(figures: Figures, found: Findings) -> None:
    if len(figures.open_branches) <= 1:
        return
    for ending in list(_endings(figures))[:MOST_SHOWN]:
        found.blame(*ending)


def _endings(figures: Figures) -> Iterator[tuple[str, str]]:
    """Yield what to say of each open branch but the one last thought on."""
    known = {each.id: each for each in figures.thoughts}
    heads = [(known[each.head_id], each) for each in figures.open_branches if each.head_id in known]
    for head, branch in sorted(heads, key=lambda pair: -pair[0].position)[1:]:
        yield (
            f"The branch {branch.name or branch.id} is still open at {name(head)}.",
            f"Go on with the branch {branch.id}, or end it with reasoning_tree_complete.",
        )


def name(thought: ThoughtRow) -> str:
    """Return how findings name a thought: by its place in the session and its id."""
    return f"thought {thought.position} ({thought.id})"
