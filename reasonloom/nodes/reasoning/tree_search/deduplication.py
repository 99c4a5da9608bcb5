"""Knows a thought that was there before, so that nobody is paid to judge it again."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable

from reasonloom.nodes.reasoning.tree_search.state import Node, State, rank, settings_of

Distance = Callable[[str, str], float]
"""How far apart two texts are, such as 1 - cosine of their vectors; the same on every replay."""


def normalised(text: str) -> str:
    """Return a text without what makes no other thought: case, white space, composition."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def original_of(state: State, node: Node, distance: Distance | None) -> int | None:
    """Return the earliest node that `node` repeats, else the nearest one within `novelty`.

    Said as an answer, a thought does not repeat the same words said on the way.
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


def last_hope(state: State) -> Node | None:
    """Return the twin to go on from where all else of the round is closed, or None.

    Its original must not have been found wanting, and it is no answer: an answer that is
    given twice is one answer.
    """
    born = [node for node in state["nodes"] if node["born"] == state["round"]]
    if any(node["status"] in ("open", "answer", "verified") for node in born):
        return None
    twins = [node for node in born if node["status"] == "twin" and not node["final"]]
    hopeful = [
        node for node in twins if state["nodes"][original(node)]["status"] in ("open", "opened")
    ]
    return min(hopeful, key=rank, default=None)


def original(node: Node) -> int:
    """Return the thought that lends a twin its value; any other is its own original."""
    return node["id"] if node["twin_of"] is None else node["twin_of"]
