"""A scorer that reads what an answer already tells, of the items that it tells it of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reasonloom.evals.core.item import Item
from reasonloom.evals.core.scorer import Bench, Mark


@dataclass(frozen=True)
class Measure:
    """Scores by a function of the project's own; any number, None for items without such a score.

    `lower` tells that a lower score is better, such as a number of errors.
    """

    name: str
    read: Callable[[Item, Any], float | Mark | None]
    lower: bool = False
    needs_target: bool = False

    def about(self) -> dict[str, Any]:
        """Return its name, and which way is better where it is not up."""
        return {"scorer": self.name, **({"better": "lower"} if self.lower else {})}

    def refuse(self, item: Item) -> str:
        """Refuse nothing."""
        return ""

    def mark(self, item: Item, output: Any, bench: Bench) -> Mark | None:
        """Return what was read."""
        found = self.read(item, output)
        return found if found is None or isinstance(found, Mark) else Mark(float(found))
