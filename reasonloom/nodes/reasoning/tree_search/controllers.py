"""Upper confidence bounds applied to trees: Kocsis & Szepesvari 2006, over judged thoughts."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt

from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import Node, State


@dataclass(slots=True)
class Tally:
    """What is known of a subtree: judgements, their sum, and whether anything in it is open."""

    visits: int = 0
    total: float = 0.0
    open: bool = False

    def bound(self, parent_visits: int, exploration: float) -> float:
        """Return mean + exploration x sqrt(ln(parent's visits) / visits), unvisited first."""
        if not self.visits:
            return inf
        return self.total / self.visits + exploration * sqrt(log(parent_visits) / self.visits)


def uct(state: State, settings: SearchSettings) -> list[int]:
    """Go down from the problem by the greatest bound, ties by order of creation.

    A judged thought is a visit to itself and to all above it, with its value (0..1) as the
    reward; a refuted answer is a visit with reward 0. A subtree with nothing open is passed by.
    """
    tallies = tally(state)
    here = state["nodes"][0]
    while here["status"] != "open":
        visits = tallies[here["id"]].visits
        children = [
            node
            for node in state["nodes"]
            if node["parent"] == here["id"] and tallies[node["id"]].open
        ]
        if not children:
            return []
        here = max(
            children, key=lambda node: tallies[node["id"]].bound(visits, settings.exploration)
        )
    return [here["id"]]


def tally(state: State) -> list[Tally]:
    """Return the tally of each node's subtree; children come after parents, so backwards."""
    tallies = [Tally() for _ in state["nodes"]]
    for node in reversed(state["nodes"]):
        own = tallies[node["id"]]
        reward = _reward(node)
        own.visits += reward is not None
        own.total += reward or 0.0
        own.open = own.open or node["status"] == "open"
        if node["parent"] is not None:
            parent = tallies[node["parent"]]
            parent.visits += own.visits
            parent.total += own.total
            parent.open = parent.open or own.open
    return tallies


def _reward(node: Node) -> float | None:
    if node["status"] == "refuted":
        return 0.0
    return None if node["status"] == "twin" else node["value"]
