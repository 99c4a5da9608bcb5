"""Reads tables: CSV with a first line of names, JSON lines, and JSON lists of objects."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument

LONGEST_CELL = 10_000_000
CSV, JSONL, JSON = ".csv", ".jsonl", ".json"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells by column, and where it stands."""

    where: str
    cells: dict[str, Any]

    def refuse(self, column: str, why: str) -> InvalidArgument:
        """Return the error for a cell."""
        return InvalidArgument(f"data: {self.where}: {column}: {why}", field=column)

    def is_empty(self, column: str) -> bool:
        """Tell whether there is nothing in a column; 0 and false are something."""
        found = self.cells.get(column)
        return found is None or (isinstance(found, str) and not found.strip())

    def cell(self, column: str) -> Any:
        """Return the cell of a column.

        Raises:
            InvalidArgument: the row has none, or an empty one.
        """
        if self.is_empty(column):
            raise self.refuse(column, "is not there" if column not in self.cells else "is empty")
        return self.cells[column]


def rows(path: Path) -> list[Row]:
    """Return the rows of a file, by its ending.

    Raises:
        InvalidArgument: it cannot be read, is not of its form, or has no rows; names the row.
    """
    readers = {CSV: _csv, JSONL: _jsonl, JSON: _json}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InvalidArgument(
            f"data: {path.name}: must be a file of the kind {', '.join(readers)}", field="data"
        )
    found = list(reader(path, text(path)))
    if not found:
        raise InvalidArgument(f"data: {path.name}: has no rows", field="data")
    return found


def text(path: Path) -> str:
    """Return a file's text, a byte order mark left out.

    Raises:
        InvalidArgument: there is no such file, or it is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError:
        raise InvalidArgument(f"data: {path.name}: there is no such file", field="data") from None
    except UnicodeDecodeError:
        raise InvalidArgument(f"data: {path.name}: is not UTF-8", field="data") from None


def require(columns: set[str], found: list[Row], path: Path) -> None:
    """Hold the columns that are needed against those of a table's first row.

    Raises:
        InvalidArgument: one is missing; names those that there are.
    """
    known = list(found[0].cells)
    for column in sorted(columns):
        if not any(column in row.cells for row in found):
            raise InvalidArgument(
                f"data: {path.name}: has no column {column}; it has {', '.join(known)}",
                field=column,
            )


def _csv(path: Path, told: str) -> Iterator[Row]:
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        reader = csv.DictReader(io.StringIO(told, newline=""), strict=True)
        names = reader.fieldnames or []
        if len(set(names)) != len(names) or not all(names):
            raise InvalidArgument(
                f"data: {path.name}: its first line must name each column once", field="data"
            )
        for number, cells in enumerate(reader, 1):
            where = f"row {number}"
            if None in cells or None in cells.values():
                raise InvalidArgument(
                    f"data: {where}: must have {len(names)} cells, as the first line has",
                    field="data",
                )
            yield Row(where, cells)
    except csv.Error as error:
        raise InvalidArgument(f"data: {path.name}: is no CSV: {error}", field="data") from None
    finally:
        csv.field_size_limit(limit)


def _jsonl(path: Path, told: str) -> Iterator[Row]:
    for number, line in enumerate(told.split("\n"), 1):
        if line.strip():
            yield _row(line, f"line {number}")


def _row(line: str, where: str) -> Row:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidArgument(f"data: {where}: is no JSON object", field="data")
    return Row(where, found)


def _json(path: Path, told: str) -> Iterator[Row]:
    """Yield the objects of a list, or of the list under `examples`, as BIG-Bench-Hard has it."""
    try:
        found = json.loads(told)
    except (ValueError, RecursionError):
        raise InvalidArgument(f"data: {path.name}: is no JSON", field="data") from None
    found = found.get("examples") if isinstance(found, dict) else found
    if not isinstance(found, list):
        raise InvalidArgument(
            f"data: {path.name}: must be a list of objects, or have one under examples",
            field="data",
        )
    for number, each in enumerate(found, 1):
        if not isinstance(each, dict):
            raise InvalidArgument(f"data: example {number}: is no object", field="data")
        yield Row(f"example {number}", each)
