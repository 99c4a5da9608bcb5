"""The controllers of a search: each selects where to continue, as a pure function of the tree."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log, sqrt

from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import LIVE, Node, State, rank_key

Controller = Callable[[State, SearchSettings], list[int]]
"""Returns the ids of open nodes, the most promising first; an empty list ends the search.

It is stateless, since all information is in the tree.
"""


def beam(state: State, settings: SearchSettings) -> list[int]:
    """Return the best `width` thoughts of the deepest level; answers occupy places among them.

    The breadth-first search of Yao et al. 2023.
    """
    deepest = max(
        (node["depth"] for node in state["nodes"] if node["opened"] is not None), default=-1
    )
    level = [
        node for node in state["nodes"] if node["depth"] == deepest + 1 and node["status"] in LIVE
    ]
    kept = sorted(level, key=rank_key)[: settings.width]
    return [node["id"] for node in kept if not node["final"]]


def best_first(state: State, settings: SearchSettings) -> list[int]:
    """Return the best `width` open thoughts, or none once an answer outranks all of them.

    As in A* (Hart, Nilsson & Raphael 1968): if no thought's value is below that of an answer
    reachable from it (an admissible value), the first answer is optimal. With a checker, only a
    verified answer ends the search.
    """
    stopping = ("open",) if settings.check != "none" else ("open", "answer")
    front = sorted((node for node in state["nodes"] if node["status"] in stopping), key=rank_key)
    if front and front[0]["final"]:
        return []
    return [node["id"] for node in front[: settings.width] if not node["final"]]


def depth_first(state: State, settings: SearchSettings) -> list[int]:
    """Return the best open child of the most recently opened thought that has one.

    Algorithm 2 of Yao et al. 2023. This backtracks, since a thought with a finished subtree has no
    open children. Thoughts valued below `prune_below` are not open.
    """
    nodes = state["nodes"]

    def order(node: Node) -> tuple[float, tuple[bool, float, int]]:
        opened = None if node["parent"] is None else nodes[node["parent"]]["opened"]
        return -(opened or 0), rank_key(node)

    first = min((node for node in nodes if node["status"] == "open"), key=order, default=None)
    return [first["id"]] if first else []


def greedy(state: State, settings: SearchSettings) -> list[int]:
    """Return the best child of the last opened thought, unless it is an answer."""
    last = max(state["nodes"], key=lambda node: node["opened"] or 0)
    if last["opened"] is None:
        return [0]
    children = [
        node for node in state["nodes"] if node["parent"] == last["id"] and node["status"] in LIVE
    ]
    best = min(children, key=rank_key, default=None)
    return [best["id"]] if best and not best["final"] else []


@dataclass(slots=True)
class Tally:
    """Statistics of a subtree: visits, total reward, and whether any node in it is open."""

    visits: int = 0
    total: float = 0.0
    open: bool = False

    def bound(self, parent_visits: int, exploration: float) -> float:
        """Return mean + exploration * sqrt(ln(parent visits) / visits); infinity if unvisited."""
        if not self.visits:
            return inf
        return self.total / self.visits + exploration * sqrt(log(parent_visits) / self.visits)


def uct(state: State, settings: SearchSettings) -> list[int]:
    """Descend from the root by the greatest bound, with ties in creation order.

    Upper confidence bounds applied to trees (Kocsis & Szepesvari 2006). A judged thought is a visit
    to itself and all its ancestors, with its value (0..1) as the reward; a refuted answer is a
    visit with reward 0. Subtrees without open nodes are skipped.
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
    """Return the tally of each node's subtree, computed in reverse: children follow parents."""
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


CONTROLLERS: dict[str, Controller] = {
    each.__name__: each for each in (greedy, beam, depth_first, best_first, uct)
}
