"""Keeps all of a run within its budget, and enough of it for the judgement at its end."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reasonloom.errors import BudgetExceeded, InvalidArgument
from reasonloom.evals.core.budget import Budget

if TYPE_CHECKING:
    from reasonloom.evals.core.budget import Spending
    from reasonloom.evals.optimization.split import Split

LIMITS = ("calls", "tokens", "usd")
ROOM = 1.25
"""What is kept for the judgement, of what the same number of items took before: texts grow."""


def recall_spending(spending: Spending, tape: Path) -> None:
    """Count what earlier processes of the run have paid, by the replies that they recorded."""
    if not tape.is_file():
        return
    for line in tape.read_text(encoding="utf-8").splitlines():
        usage = json.loads(line)["reply"]["usage"]
        spending.calls += 1
        spending.tokens += usage["tokens_in"] + usage["tokens_out"]
        spending.usd += usage["cost_usd"] or 0.0


def require_room(budget: Budget, split: Split, epochs: int) -> None:
    """Refuse a budget that cannot do, where each item takes one call at least.

    Raises:
        InvalidArgument: there are too few calls for the base on the validation items, and for base
            and winner on the test items.
    """
    least = epochs * (len(split.validation) + 2 * len(split.test))
    if budget.calls is not None and budget.calls <= least:
        raise InvalidArgument(
            f"calls: {budget.calls} cannot do: the base on the validation items, and base and"
            f" winner on the test items take {least} or more; the search comes on top",
            field="calls",
        )


def keep_for_test(budget: Budget, took: dict[str, float], split: Split) -> Budget:
    """Return what the search may spend: the budget without what the judgement will take.

    Args:
        budget: of all of the run.
        took: what the base took on the validation items.
        split: the items.

    Raises:
        BudgetExceeded: nothing is left to search with.
    """
    share = ROOM * 2 * len(split.test) / len(split.validation)
    left = {}
    for name in LIMITS:
        limit = getattr(budget, name)
        if limit is None:
            continue
        kept = share * took[name]
        left[name] = limit - (kept if name == "usd" else math.ceil(kept))
        if left[name] <= took[name]:
            raise BudgetExceeded(
                f"the budget of {limit:g} {name} leaves nothing to search with: the base took"
                f" {took[name]:.6g} on the validation items, and judging a winner on the test items"
                f" is expected to take {kept:.6g}"
            )
    return replace(budget, **left)
