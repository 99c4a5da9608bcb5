"""What a controller is."""

from __future__ import annotations

from typing import Protocol

from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import State


class Controller(Protocol):
    """Chooses the thoughts to go on from; it keeps nothing, all it knows is in the tree."""

    def __call__(self, state: State, settings: SearchSettings) -> list[int]:
        """Return ids of open nodes, the most promising first; none ends the search."""
        ...
