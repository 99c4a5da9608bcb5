"""Splits a suite in three: to learn from, to choose by, and to judge on, which nobody looks at."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.plan import plan

if TYPE_CHECKING:
    from reasonloom.evals.core.item import Item
    from reasonloom.evals.core.suite import Suite

NAMES = ("train", "validation", "test")
SHARES = (0.3, 0.3, 0.4)
"""The test has most: what it can show hangs on its size."""


@dataclass(frozen=True, slots=True)
class Split:
    """The items of each part, by id; no cluster lies in two of them."""

    train: Sequence[Item]
    validation: Sequence[Item]
    test: Sequence[Item]

    def about(self) -> dict[str, Any]:
        """Return how many items and clusters each part has, and what the test could show.

        An item that stands alone is a cluster of one. `least_effect` is the least difference found
        8 times out of 10 where a fifth of the items differ and each stands alone; None for none.
        """
        parts = dict(zip(NAMES, (self.train, self.validation, self.test), strict=True))
        sizes = {
            name: {"items": len(items), "clusters": len(_clusters(items))}
            for name, items in parts.items()
        }
        return {**sizes, "least_effect": plan(len(self.test))["least_effect"]}


def split(suite: Suite, seed: int, shares: Sequence[float] = SHARES) -> Split:
    """Return a suite split by clusters, which are drawn by the seed, whatever the items' order.

    Each cluster goes where most is lacking of the share.

    Raises:
        InvalidArgument: the shares are none, or there are too few clusters for three parts.
    """
    if len(shares) != len(NAMES) or min(shares, default=0) <= 0:
        raise InvalidArgument(
            "split: must be three numbers above 0, such as 30,30,40 for train, validation and test",
            field="split",
        )
    drawn = sorted(_clusters(suite.items).items())
    if len(drawn) < len(NAMES):
        raise InvalidArgument(
            f"{suite.name}: has {len(drawn)} clusters or items that stand alone; a split into"
            f" {', '.join(NAMES)} needs 3 or more",
            field="suite",
        )
    random.Random(seed).shuffle(drawn)  # noqa: S311  # a draw that can be repeated
    parts: list[list[Item]] = [[] for _ in NAMES]
    for left, (_, items) in zip(range(len(drawn), 0, -1), drawn, strict=True):
        _neediest(parts, shares, left).extend(items)
    train, validation, test = (sorted(part, key=lambda item: item.id) for part in parts)
    return Split(train, validation, test)


def part_of(suite: Suite, items: Sequence[Item]) -> Suite:
    """Return a suite of some of its items."""
    return replace(suite, items=items, where=())


def _clusters(items: Sequence[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda each: each.id):
        found.setdefault(
            f"cluster {item.cluster}" if item.cluster else f"item {item.id}", []
        ).append(item)
    return found


def _neediest(parts: list[list[Item]], shares: Sequence[float], left: int) -> list[Item]:
    """Return the part that has least of its share; where few clusters are left, an empty one."""
    empty = [place for place, part in enumerate(parts) if not part]
    places = empty if left <= len(empty) else range(len(parts))
    return parts[min(places, key=lambda place: (len(parts[place]) / shares[place], -shares[place]))]
