"""Reads the tables that published tasks come in."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from reasonloom.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def rows(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Return the rows of a CSV file, each in the order of `columns`.

    Raises:
        InvalidArgument: there is no such file, it is no such table, or it has no rows.
    """
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
    """Return the list of whole numbers that a cell holds, none negative.

    Raises:
        InvalidArgument: it holds none; names the row, counted from 1 without the first line.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(type(each) is int and each >= 0 for each in found):
        raise InvalidArgument(
            f"data: row {row}: {column} must be a list of whole numbers, such as [3, 1, 2]",
            field="data",
        )
    return tuple(found)


def refuse(row: int, why: str) -> InvalidArgument:
    """Return the error for a row whose cells contradict each other."""
    return InvalidArgument(f"data: row {row}: {why}", field="data")


def require_between(name: str, given: int, least: int, most: int) -> None:
    """Hold a number of a generator within its limits.

    Raises:
        InvalidArgument: it is not.
    """
    if not least <= given <= most:
        raise InvalidArgument(f"{name}: must be {least} to {most}", field=name)
