"""A scorer that is a function of item and answer, such as one that tries an answer out."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.scorer import Bench, Mark


@dataclass(frozen=True)
class Checker:
    """Scores by a plain function, which returns a truth value, a number of 0 to 1, or a `Mark`."""

    check: Callable[[Item, Any], bool | float | Mark]
    name: str = "checker"
    needs_target: bool = False

    def about(self) -> dict[str, Any]:
        """Return the function's name; a function that changes is to be given another."""
        return {"scorer": self.name, "function": getattr(self.check, "__qualname__", "")}

    def refuse(self, item: Item) -> str:
        """Refuse nothing."""
        return ""

    def mark(self, item: Item, output: Any, bench: Bench) -> Mark | Awaitable[Mark]:
        """Return the function's mark.

        Raises:
            InvalidArgument: it is no number of 0 to 1, or the function cannot take the answer.
        """
        try:
            found = self.check(item, output)
        except Exception as error:
            raise InvalidArgument(
                f"{self.name}: fails on the answer of {item.id}:"
                f" {type(error).__name__}: {error}; --resume goes on once it is mended",
                field="scorer",
            ) from error
        mark = found if isinstance(found, Mark) else Mark(_number(found))
        if not 0 <= mark.score <= 1:
            told = found if math.isnan(mark.score) else mark.score
            raise InvalidArgument(
                f"{self.name}: gave {item.id} {told}; must be 0 to 1", field="scorer"
            )
        return mark


def _number(found: Any) -> float:
    """Return a value as a number, NaN where it is none."""
    try:
        return float(found)
    except (TypeError, ValueError):
        return math.nan
