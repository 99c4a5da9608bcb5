"""Pairs of sets to intersect: the published ones from their file, or others made here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.evals.simulated.draw import stream
from reasonloom.evals.simulated.table import integers, refuse, require_between, rows

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ("ID", "SET1", "SET2", "INTERSECTION")
MOST_ITEMS, MOST_SIZE = 10_000, 256
LEAST_SHARE, MOST_SHARE = 0.25, 0.75
"""The share of a set that is in the other: about that of the published files (8 to 23 of 32)."""


@dataclass(frozen=True, slots=True)
class IntersectionItem:
    """Two sets in an order of their own, and what they truly share, which no search may see."""

    id: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    truth: frozenset[int]


def load(path: Path) -> list[IntersectionItem]:
    """Return the pairs of a published file (`set_intersection_032.csv`).

    Raises:
        InvalidArgument: there is no such file, or it is not of that form; names the row.
    """
    return [_item(cells, row) for row, cells in enumerate(rows(path, COLUMNS), 1)]


def _item(cells: list[str], row: int) -> IntersectionItem:
    first, second, told = (
        integers(cell, column, row) for cell, column in zip(cells[1:], COLUMNS[1:], strict=True)
    )
    for column, numbers in (("SET1", first), ("SET2", second)):
        if not numbers or len(set(numbers)) < len(numbers):
            raise refuse(row, f"{column} must hold numbers, each once")
    truth = frozenset(first) & frozenset(second)
    if sorted(told) != sorted(truth):
        raise refuse(row, "INTERSECTION is not what SET1 and SET2 share")
    return IntersectionItem(cells[0], first, second, truth)


def generate(count: int, size: int, seed: int) -> list[IntersectionItem]:
    """Return pairs of sets of `size` numbers; the same for the same arguments.

    Raises:
        InvalidArgument: `count` or `size` is out of range.
    """
    require_between("count", count, 1, MOST_ITEMS)
    require_between("size", size, 4, MOST_SIZE)
    return [_drawn(size, seed, number) for number in range(count)]


def _drawn(size: int, seed: int, number: int) -> IntersectionItem:
    chance = stream(seed, f"{size}", "pair of sets", sample=number)
    numbers = chance.sample(range(2 * size), 2 * size)
    shared = chance.randint(round(LEAST_SHARE * size), round(MOST_SHARE * size))
    first, second = numbers[:size], numbers[size - shared : 2 * size - shared]
    chance.shuffle(first)
    chance.shuffle(second)
    truth = frozenset(first) & frozenset(second)
    return IntersectionItem(f"{size}/{number}", tuple(first), tuple(second), truth)
