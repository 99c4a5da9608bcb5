"""Lists of digits to sort: the published ones from their file, or others made here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.evals.simulated.draw import stream
from reasonloom.evals.simulated.table import integers, refuse, require_between, rows

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ("ID", "Unsorted", "Sorted")
MOST_ITEMS, MOST_LENGTH = 10_000, 512


@dataclass(frozen=True, slots=True)
class SortingItem:
    """One list of digits, and its name within the set."""

    id: str
    numbers: tuple[int, ...]


def load(path: Path) -> list[SortingItem]:
    """Return the lists of a published file (`sorting_064.csv`).

    Raises:
        InvalidArgument: there is no such file, or it is not of that form; names the row.
    """
    return [_item(cells, row) for row, cells in enumerate(rows(path, COLUMNS), 1)]


def _item(cells: list[str], row: int) -> SortingItem:
    numbers, told = integers(cells[1], "Unsorted", row), integers(cells[2], "Sorted", row)
    if not numbers or max(numbers) > 9:  # noqa: PLR2004
        raise refuse(row, "Unsorted must hold digits from 0 to 9")
    if list(told) != sorted(numbers):
        raise refuse(row, "Sorted is not Unsorted in ascending order")
    return SortingItem(cells[0], numbers)


def generate(count: int, length: int, seed: int) -> list[SortingItem]:
    """Return lists of digits drawn evenly; the same for the same arguments.

    Raises:
        InvalidArgument: `count` or `length` is out of range.
    """
    require_between("count", count, 1, MOST_ITEMS)
    require_between("length", length, 1, MOST_LENGTH)
    return [_drawn(length, seed, number) for number in range(count)]


def _drawn(length: int, seed: int, number: int) -> SortingItem:
    chance = stream(seed, f"{length}", "list of digits", sample=number)
    return SortingItem(f"{length}/{number}", tuple(chance.randrange(10) for _ in range(length)))
