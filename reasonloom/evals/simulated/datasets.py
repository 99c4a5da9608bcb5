"""Problems for the simulated tasks, from published tables or generated: lists, pairs of sets."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reasonloom.errors import InvalidArgument
from reasonloom.evals.simulated.conversation import whole_numbers
from reasonloom.evals.simulated.draw import stream


def read_rows(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Read the rows of a CSV file, with cells in the order of `columns`."""
    named = ",".join(columns)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            if set(columns) - set(table.fieldnames or ()):
                raise InvalidArgument(f"data: the first line must be {named}", field="data")
            found = [[row[column] or "" for column in columns] for row in table]
    except OSError:
        raise InvalidArgument("data: there is no such file", field="data") from None
    except (UnicodeDecodeError, csv.Error):
        raise InvalidArgument(f"data: must be a CSV file with {named}", field="data") from None
    if not found:
        raise InvalidArgument("data: the table has no rows", field="data")
    return found


def integers(text: str, column: str, row: int) -> tuple[int, ...]:
    """Parse a cell as a list of non-negative integers; `row` counts from 1 without the header."""
    found = whole_numbers(text)
    if found is None:
        raise refuse(row, f"{column} must be a list of whole numbers, such as [3, 1, 2]")
    return tuple(found)


def refuse(row: int, why: str) -> InvalidArgument:
    """Return the error to raise for a row."""
    return InvalidArgument(f"data: row {row}: {why}", field="data")


def require_between(name: str, given: int, least: int, most: int) -> None:
    """Refuse a number outside `least` to `most`."""
    if not least <= given <= most:
        raise InvalidArgument(f"{name}: must be {least} to {most}", field=name)


SORTING_COLUMNS = ("ID", "Unsorted", "Sorted")
MOST_ITEMS, MOST_LENGTH, MOST_SIZE = 10_000, 512, 256


@dataclass(frozen=True, slots=True)
class SortingItem:
    """One list of digits, and its id."""

    id: str
    numbers: tuple[int, ...]


def load_sorting(path: Path) -> list[SortingItem]:
    """Load the lists of a published file (`sorting_064.csv`)."""
    found = []
    for row, cells in enumerate(read_rows(path, SORTING_COLUMNS), 1):
        numbers, ordered = integers(cells[1], "Unsorted", row), integers(cells[2], "Sorted", row)
        if not numbers or max(numbers) > 9:  # noqa: PLR2004
            raise refuse(row, "Unsorted must hold digits from 0 to 9")
        if list(ordered) != sorted(numbers):
            raise refuse(row, "Sorted is not Unsorted in ascending order")
        found.append(SortingItem(cells[0], numbers))
    return found


def generate_sorting(count: int, length: int, seed: int) -> list[SortingItem]:
    """Generate lists of uniformly drawn digits; equal arguments give equal lists."""
    require_between("count", count, 1, MOST_ITEMS)
    require_between("length", length, 1, MOST_LENGTH)
    found = []
    for number in range(count):
        chance = stream(seed, f"{length}", "list of digits", sample=number)
        digits = tuple(chance.randrange(10) for _ in range(length))
        found.append(SortingItem(f"{length}/{number}", digits))
    return found


INTERSECTION_COLUMNS = ("ID", "SET1", "SET2", "INTERSECTION")
LEAST_SHARE, MOST_SHARE = 0.25, 0.75
"""Range of the share of a set that is in the other, as in the published files (8 to 23 of 32)."""


@dataclass(frozen=True, slots=True)
class IntersectionItem:
    """Two sets in arbitrary order, and their true intersection, which is hidden from searches."""

    id: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    truth: frozenset[int]


def load_intersection(path: Path) -> list[IntersectionItem]:
    """Load the pairs of a published file (`set_intersection_032.csv`)."""
    found = []
    for row, cells in enumerate(read_rows(path, INTERSECTION_COLUMNS), 1):
        first, second, shared = (
            integers(cell, column, row)
            for cell, column in zip(cells[1:], INTERSECTION_COLUMNS[1:], strict=True)
        )
        for column, numbers in (("SET1", first), ("SET2", second)):
            if not numbers or len(set(numbers)) < len(numbers):
                raise refuse(row, f"{column} must hold numbers, each once")
        truth = frozenset(first) & frozenset(second)
        if sorted(shared) != sorted(truth):
            raise refuse(row, "INTERSECTION is not what SET1 and SET2 share")
        found.append(IntersectionItem(cells[0], first, second, truth))
    return found


def generate_intersection(count: int, size: int, seed: int) -> list[IntersectionItem]:
    """Generate pairs of sets of `size` numbers; equal arguments give equal pairs."""
    require_between("count", count, 1, MOST_ITEMS)
    require_between("size", size, 4, MOST_SIZE)
    found = []
    for number in range(count):
        chance = stream(seed, f"{size}", "pair of sets", sample=number)
        numbers = chance.sample(range(2 * size), 2 * size)
        shared = chance.randint(round(LEAST_SHARE * size), round(MOST_SHARE * size))
        first, second = numbers[:size], numbers[size - shared : 2 * size - shared]
        chance.shuffle(first)
        chance.shuffle(second)
        truth = frozenset(first) & frozenset(second)
        found.append(IntersectionItem(f"{size}/{number}", tuple(first), tuple(second), truth))
    return found
