"""Computes the metrics of a session's reasoning and derives findings; see docs/reasoning.md."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.similarity import Similarity, similarity_of
from reasonloom.stores.sessions.branches import ACTIVE, BranchRow
from reasonloom.stores.sessions.full_sessions import FullSession
from reasonloom.stores.sessions.thoughts import ThoughtRow
from reasonloom.text.words import words_in

HALF_LIFE = 5
"""Number of later thoughts after which the weight of a thought's confidence is halved."""

SAME_MEANING = 0.72
"""Minimum cosine for one word to cover another; related words (kitchen, waiter) reach 0.7."""

LONGEST_TEXT = 4_000
"""Characters of a thought to compare."""

MOST_QUESTION_WORDS, MOST_THOUGHT_WORDS = 200, 500
"""Distinct words of the question and of the thoughts to compare."""


@dataclass(frozen=True, slots=True)
class Link:
    """Two consecutive thoughts and their likeness, 0..1."""

    before: ThoughtRow
    after: ThoughtRow
    likeness: float


@dataclass(frozen=True, slots=True)
class SessionFigures:
    """The metrics of a session, each 0..1; `missed` are question words that no thought covers."""

    thoughts: Sequence[ThoughtRow]
    coherence: float
    confidence: float
    coverage: float
    links: Sequence[Link]
    missed: Sequence[str]
    open_branches: Sequence[BranchRow]
    notes: Sequence[str]


async def measure_figures(embedder: Embedder, session: FullSession) -> SessionFigures:
    """Return the metrics of a session."""
    thoughts = session.thoughts
    likeness = await similarity_of(embedder, [_text(each) for each in thoughts])
    links = links_of(thoughts, likeness)
    coverage, missed = await measure_coverage(embedder, thoughts)
    return SessionFigures(
        thoughts,
        coherence=coherence(thoughts, links),
        confidence=confidence(thoughts),
        coverage=coverage,
        links=links,
        missed=missed,
        open_branches=[
            each for each in session.branches if each.state == ACTIVE and each.head_id is not None
        ],
        notes=likeness.notes,
    )


def links_of(thoughts: Sequence[ThoughtRow], likeness: Similarity) -> list[Link]:
    """Return each thought with its parent, once even if several branches share them."""
    known = {each.id: each for each in thoughts}
    return [
        Link(known[each.parent_id], each, likeness.of(_text(known[each.parent_id]), _text(each)))
        for each in thoughts
        if each.parent_id in known
    ]


def coherence(thoughts: Sequence[ThoughtRow], links: Sequence[Link]) -> float:
    """Return the mean likeness of consecutive thoughts; 1 for a single thought, 0 for none."""
    if links:
        return fmean(link.likeness for link in links)
    return 1.0 if len(thoughts) == 1 else 0.0


def confidence(thoughts: Sequence[ThoughtRow]) -> float:
    """Return the mean confidence; a thought weighs 2 ** -(later thoughts / `HALF_LIFE`)."""
    weights = [2 ** (-since / HALF_LIFE) for since in range(len(thoughts))]
    total = math.fsum(weights)
    products = (w * each.confidence for w, each in zip(weights, reversed(thoughts), strict=True))
    return math.fsum(products) / total if total else 0.0


async def measure_coverage(
    embedder: Embedder, thoughts: Sequence[ThoughtRow]
) -> tuple[float, Sequence[str]]:
    """Return the share of the first question's content words that are covered, and the others.

    A word is covered if the thoughts contain it or a word with a cosine of at least `SAME_MEANING`
    to it. Thoughts of the offline model cover nothing, since they repeat the question.
    """
    if not thoughts:
        return 0.0, []
    question = list(dict.fromkeys(words_in(thoughts[0].input)))[:MOST_QUESTION_WORDS]
    answer_words = dict.fromkeys(
        word
        for each in thoughts
        if each.llm != OfflineModel.name
        for word in words_in(each.content)
    )
    left = [word for word in question if word not in answer_words]
    if left:
        others = list(answer_words)[:MOST_THOUGHT_WORDS]
        likeness = await similarity_of(embedder, [*left, *others])
        left = [
            word
            for word in left
            if all(likeness.cosine(word, other) < SAME_MEANING for other in others)
        ]
    return (1 - len(left) / len(question) if question else 1.0), left


def _text(thought: ThoughtRow) -> str:
    return thought.content[:LONGEST_TEXT]


HIGH, LOW = 0.7, 0.4
"""Thresholds: from HIGH, confidence or coverage is a strength; below LOW, confidence is weak."""

CLOSE, BROKEN, REPEATED = 0.35, 0.08, 0.98
"""Likeness thresholds of consecutive thoughts: follows closely, breaks off, repeats."""

MOST_NAMED = 5
"""Maximum findings of one kind, and words listed in a finding."""


@dataclass(slots=True)
class SessionFindings:
    """Findings as sentences; weaknesses and recommendations correspond by index."""

    strengths: list[str] = field(default_factory=list)
    weaknesses: list[str] = field(default_factory=list)
    recommendations: list[str] = field(default_factory=list)

    def blame(self, weakness: str, recommendation: str) -> None:
        """Add a weakness and its remedy."""
        self.weaknesses.append(weakness)
        self.recommendations.append(recommendation)


def findings_of(figures: SessionFigures, *, read: bool = False) -> SessionFindings:
    """Return the strengths and weaknesses that follow from the metrics.

    If a language model has `read` the session, uncovered words are not counted as a weakness.
    """
    found = SessionFindings()
    if not figures.thoughts:
        found.blame("The session has no thought yet.", "Begin with reasoning_linear.")
        return found
    _judge_links(figures, found)
    _judge_confidence(figures, found)
    if not read:
        _judge_coverage(figures, found)
    _judge_branches(figures, found)
    return found


def _judge_links(figures: SessionFigures, found: SessionFindings) -> None:
    if not figures.links:
        return
    best = max(figures.links, key=lambda link: link.likeness)
    if figures.coherence >= CLOSE:
        found.strengths.append(
            f"Steps follow closely on each other (coherence {figures.coherence:.2f}), most of all "
            f"{name_of(best.after)} on {name_of(best.before)} ({best.likeness:.2f})."
        )
    for link in _weakest(figures, below=BROKEN):
        before, after = name_of(link.before), name_of(link.after)
        found.blame(
            f"{after} has little to do with {before}, which it follows "
            f"(likeness {link.likeness:.2f}).",
            f"Say how {after} follows from {before}, or go back before it.",
        )
    for link in [each for each in figures.links if each.likeness >= REPEATED][:MOST_NAMED]:
        found.blame(
            f"{name_of(link.after)} says again what {name_of(link.before)} says.",
            f"Go on from {name_of(link.before)} with something new.",
        )


def _weakest(figures: SessionFigures, *, below: float) -> list[Link]:
    broken = [link for link in figures.links if link.likeness < below]
    return sorted(broken, key=lambda link: link.likeness)[:MOST_NAMED]


def _judge_confidence(figures: SessionFigures, found: SessionFindings) -> None:
    surest = max(figures.thoughts, key=lambda each: each.confidence)
    if surest.confidence >= HIGH:
        found.strengths.append(f"{name_of(surest)} is sure of itself ({surest.confidence:.2f}).")
    unsure = sorted(
        (each for each in figures.thoughts if each.confidence < LOW),
        key=lambda each: each.confidence,
    )
    for each in unsure[:MOST_NAMED]:
        found.blame(
            f"{name_of(each)} is unsure of itself ({each.confidence:.2f}).",
            f"Find evidence for {name_of(each)}, or reflect on it with reasoning_reflection.",
        )


def _judge_coverage(figures: SessionFigures, found: SessionFindings) -> None:
    first = name_of(figures.thoughts[0])
    if figures.coverage >= HIGH:
        found.strengths.append(
            f"{figures.coverage:.0%} of the words of the first question ({first}) are taken up."
        )
    if figures.missed:
        words = ", ".join(figures.missed[:MOST_NAMED])
        rest = len(figures.missed) - MOST_NAMED
        more = f" and {rest} more" if rest > 0 else ""
        found.blame(
            f"Of the first question ({first}) nobody takes up: {words}{more}.",
            f"Come back to what was asked: {words}{more}.",
        )


def _judge_branches(figures: SessionFigures, found: SessionFindings) -> None:
    if len(figures.open_branches) <= 1:
        return
    for ending in list(_endings(figures))[:MOST_NAMED]:
        found.blame(*ending)


def _endings(figures: SessionFigures) -> Iterator[tuple[str, str]]:
    """Yield weakness and remedy for each open branch except the most recently extended one."""
    known = {each.id: each for each in figures.thoughts}
    heads = [(known[each.head_id], each) for each in figures.open_branches if each.head_id in known]
    for head, branch in sorted(heads, key=lambda pair: -pair[0].position)[1:]:
        yield (
            f"The branch {branch.name or branch.id} is still open at {name_of(head)}.",
            f"Go on with the branch {branch.id}, or end it with reasoning_tree_complete.",
        )


def name_of(thought: ThoughtRow) -> str:
    """Return the name of a thought in findings: its position in the session and its id."""
    return f"thought {thought.position} ({thought.id})"
