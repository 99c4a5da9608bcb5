"""Detect thoughts that repeat an earlier one, so that they are not judged twice."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from reasonloom.nodes.reasoning.tree_search.state import Node, State, rank_key, settings_of
from reasonloom.text.contradiction import contradiction

if TYPE_CHECKING:
    from reasonloom.nodes.similarity import Similarity

Distance = Callable[[str, str], float]
"""The distance of two texts, such as 1 - cosine similarity; must be stable across replays."""


def normalised(text: str) -> str:
    """Normalise case, white space and Unicode composition of a text."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def original_of(state: State, node: Node, distance: Distance | None) -> int | None:
    """Return the earliest node identical to `node`, or else the nearest one within `novelty`.

    An answer is not a duplicate of an intermediate thought.
    """
    originals = [
        each
        for each in state["nodes"]
        if each["twin_of"] is None and (each["final"] or not node["final"])
    ]
    for each in originals:
        if each["identity"] == node["identity"]:
            return each["id"]
    novelty = settings_of(state).novelty
    if distance is None or novelty is None:
        return None
    distances = ((distance(node["text"], each["text"]), each["id"]) for each in originals)
    nearest, found = min(distances, default=(math.inf, 0))
    return found if nearest <= novelty else None


def reopenable_duplicate(state: State) -> Node | None:
    """Return a duplicate to continue from if nothing else of the round is open, or None.

    Its original must not have failed. Answers are excluded: a repeated answer is still one answer.
    """
    born = [node for node in state["nodes"] if node["born"] == state["round"]]
    if any(node["status"] in ("open", "answer", "verified") for node in born):
        return None
    duplicates = [node for node in born if node["status"] == "twin" and not node["final"]]
    reopenable = [
        node
        for node in duplicates
        if state["nodes"][original(node)]["status"] in ("open", "opened")
    ]
    return min(reopenable, key=rank_key, default=None)


def original(node: Node) -> int:
    """Return the id of the thought that a node duplicates, or its own."""
    return node["id"] if node["twin_of"] is None else node["twin_of"]


MOST_WORDS = 2_000
"""Maximum words of a text that are compared in order."""

ALIKE = 0.9
"""The cosine similarity below which word order and negation are not considered."""


@dataclass(frozen=True, slots=True)
class ThoughtDistance:
    """The distance of two thoughts, 0..1, by embedding and word order.

    Embeddings alone do not distinguish `A rather than B` from `B rather than A`, nor a thought from
    its negation, which may differ in a single word.
    """

    likeness: Similarity

    def __call__(self, first: str, second: str) -> float:
        """Return the greater of 1 - cosine similarity and the share of words not in common order.

        The distance is 1 if one text negates the other.
        """
        cosine = self.likeness.cosine(first, second)
        if cosine < ALIKE:
            return 1 - cosine
        if contradiction(first, second):
            return 1.0
        one, other = (text.casefold().split()[:MOST_WORDS] for text in (first, second))
        return max(1 - cosine, 1 - SequenceMatcher(None, one, other, autojunk=False).ratio())
