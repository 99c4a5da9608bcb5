"""Best-first search: on from the best thought anywhere, as A* (Hart, Nilsson & Raphael 1968)."""

from __future__ import annotations

from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import State, rank


def best_first(state: State, settings: SearchSettings) -> list[int]:
    """Return the best `width` open thoughts, or none once an answer is better than all of them.

    Where no value is less than that of any answer below it (an admissible value), this answer
    is the optimum. With a checker only a verified answer ends the search.
    """
    stopping = ("open",) if settings.check != "none" else ("open", "answer")
    front = sorted((node for node in state["nodes"] if node["status"] in stopping), key=rank)
    if front and front[0]["final"]:
        return []
    return [node["id"] for node in front[: settings.width] if not node["final"]]
