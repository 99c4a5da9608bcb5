"""Scorers built from a function: a check of the answer, or a figure read from it."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Item, Mark, ScoringContext


class AcceptingScorer:
    """A scorer that accepts every item."""

    def refuse(self, item: Item) -> str:
        """Accept every item."""
        return ""


@dataclass(frozen=True)
class Checker(AcceptingScorer):
    """Scores by a function that returns a bool, a number from 0 to 1, or a `Mark`."""

    check: Callable[[Item, Any], bool | float | Mark]
    name: str = "checker"
    needs_target: bool = False

    def about(self) -> dict[str, Any]:
        """Return the function's name; rename the function when its behaviour changes."""
        return {"scorer": self.name, "function": getattr(self.check, "__qualname__", "")}

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark | Awaitable[Mark]:
        """Return the function's mark; InvalidArgument if it raises or the score is not 0 to 1."""
        try:
            found = self.check(item, output)
        except Exception as error:
            raise InvalidArgument(
                f"{self.name}: fails on the answer of {item.id}:"
                f" {type(error).__name__}: {error}; --resume continues once it is fixed",
                field="scorer",
            ) from error
        mark = found if isinstance(found, Mark) else Mark(_number(found))
        if not 0 <= mark.score <= 1:
            given = found if math.isnan(mark.score) else mark.score
            raise InvalidArgument(
                f"{self.name}: gave {item.id} {given}; must be 0 to 1", field="scorer"
            )
        return mark


def _number(found: Any) -> float:
    """Convert a value to a number, NaN if that is impossible."""
    try:
        return float(found)
    except (TypeError, ValueError):
        return math.nan


@dataclass(frozen=True)
class Measure(AcceptingScorer):
    """Scores by a number read from the output, of any range; None if it does not apply to the item.

    Set `lower` if lower scores are better, as for error counts.
    """

    name: str
    read: Callable[[Item, Any], float | Mark | None]
    lower: bool = False
    needs_target: bool = False

    def about(self) -> dict[str, Any]:
        """Return the name, and the direction if lower is better."""
        return {"scorer": self.name, **({"better": "lower"} if self.lower else {})}

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark | None:
        """Return the figure as a mark."""
        found = self.read(item, output)
        return found if found is None or isinstance(found, Mark) else Mark(float(found))
