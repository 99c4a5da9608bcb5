"""Splits a suite into train, validation and test, and reserves budget for the test."""

import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reasonloom.errors import BudgetExceeded, InvalidArgument
from reasonloom.evals.comparison.power import plan
from reasonloom.evals.core.budget import Budget, Spending
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.suite import Suite

NAMES = ("train", "validation", "test")
SHARES = (0.3, 0.3, 0.4)
"""The test part is largest, because the effect it can detect depends on its size."""


@dataclass(frozen=True, slots=True)
class Split:
    """The items of each part, by id; clusters are not split."""

    train: Sequence[Item]
    validation: Sequence[Item]
    test: Sequence[Item]

    def about(self) -> dict[str, Any]:
        """Return the numbers of items and clusters, and the effect that the test could detect.

        An independent item is a cluster of one. `least_effect` is the smallest difference found
        with 80 % power if a fifth of the items differ, all independent; None if there is none.
        """
        parts = dict(zip(NAMES, (self.train, self.validation, self.test), strict=True))
        sizes = {
            name: {"items": len(items), "clusters": len(_clusters(items))}
            for name, items in parts.items()
        }
        return {**sizes, "least_effect": plan(len(self.test))["least_effect"]}


def split(suite: Suite, seed: int, shares: Sequence[float] = SHARES) -> Split:
    """Split a suite by clusters, shuffled by the seed, independent of the items' order.

    Each cluster goes to the part farthest below its share.
    """
    if len(shares) != len(NAMES) or min(shares, default=0) <= 0:
        raise InvalidArgument(
            "split: must be three numbers above 0, such as 30,30,40 for train, validation and test",
            field="split",
        )
    drawn = sorted(_clusters(suite.items).items())
    if len(drawn) < len(NAMES):
        raise InvalidArgument(
            f"{suite.name}: has {len(drawn)} clusters or independent items; a split into"
            f" {', '.join(NAMES)} needs 3 or more",
            field="suite",
        )
    random.Random(seed).shuffle(drawn)  # noqa: S311  # a reproducible draw
    parts: list[list[Item]] = [[] for _ in NAMES]
    for left, (_, items) in zip(range(len(drawn), 0, -1), drawn, strict=True):
        _neediest(parts, shares, left).extend(items)
    train, validation, test = (sorted(part, key=lambda item: item.id) for part in parts)
    return Split(train, validation, test)


def subset(suite: Suite, items: Sequence[Item]) -> Suite:
    """Return the suite with some of its items."""
    return replace(suite, items=items, where=())


def _clusters(items: Sequence[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda each: each.id):
        name = f"cluster {item.cluster}" if item.cluster else f"item {item.id}"
        found.setdefault(name, []).append(item)
    return found


def _neediest(parts: list[list[Item]], shares: Sequence[float], left: int) -> list[Item]:
    """Return the part farthest below its share, or an empty one if few clusters are left."""
    empty = [place for place, part in enumerate(parts) if not part]
    places = empty if left <= len(empty) else range(len(parts))
    return parts[min(places, key=lambda place: (len(parts[place]) / shares[place], -shares[place]))]


LIMITS = ("calls", "tokens", "usd")
ROOM = 1.25
"""Safety factor of the reserved budget over the earlier usage of as many items, as texts grow."""


def restore_spending(spending: Spending, tape: Path) -> None:
    """Count what earlier processes of the run have spent, from their recorded replies."""
    if not tape.is_file():
        return
    for line in tape.read_text(encoding="utf-8").splitlines():
        usage = json.loads(line)["reply"]["usage"]
        spending.calls += 1
        spending.tokens += usage["tokens_in"] + usage["tokens_out"]
        spending.usd += usage["cost_usd"] or 0.0


def require_budget(budget: Budget, split: Split, epochs: int) -> None:
    """Refuse a budget too small for one call per item outside the search."""
    least = epochs * (len(split.validation) + 2 * len(split.test))
    if budget.calls is not None and budget.calls <= least:
        raise InvalidArgument(
            f"calls: {budget.calls} cannot do: the base on the validation items, and base and"
            f" winner on the test items take {least} or more; the search comes on top",
            field="calls",
        )


def reserve_for_test(budget: Budget, took: dict[str, float], split: Split) -> Budget:
    """Return the budget of the search: the rest after reserving for the judgement.

    `took` is what the base used on the validation items. BudgetExceeded if nothing is left.
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
