"""Suites from user files: tables (CSV, JSON Lines, JSON lists) and Python files."""

import csv
import importlib.util
import io
import json
import math
import sys
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from reasonloom.errors import CallerMistake, InvalidArgument
from reasonloom.evals.core.item import Item, Scorer
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Way
from reasonloom.evals.scorers.text import exact
from reasonloom.text.shortening import shortened

LONGEST_CELL = 10_000_000
MOST_NAMED, LONGEST_NAME = 20, 80
"""Limits of an error message: columns named, and characters of each name."""

CSV, JSONL, JSON = ".csv", ".jsonl", ".json"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells by column, and its position in the file."""

    where: str
    cells: dict[str, Any]

    def refuse(self, column: str, why: str) -> InvalidArgument:
        """Return the error to raise for a cell."""
        return InvalidArgument(f"data: {self.where}: {column}: {why}", field=column)

    def is_empty(self, column: str) -> bool:
        """Return whether a column has no value; 0 and false are values."""
        found = self.cells.get(column)
        return found is None or (isinstance(found, str) and not found.strip())

    def cell(self, column: str) -> Any:
        """Return the value in a column; refuses an empty or missing one."""
        if self.is_empty(column):
            raise self.refuse(column, "is not there" if column not in self.cells else "is empty")
        return self.cells[column]


def _refused(path: Path, why: str, what: str = "data") -> InvalidArgument:
    return InvalidArgument(f"{what}: {path.name}: {why}", field=what)


def read_rows(path: Path, columns: Collection[str] = ()) -> list[Row]:
    """Read a file by its suffix; refuses one that is malformed, empty, or lacks `columns`."""
    readers = {CSV: _csv, JSONL: _jsonl, JSON: _json}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise _refused(path, f"must be a file of the kind {', '.join(readers)}")
    found = list(reader(path, read_text(path)))
    if not found:
        raise _refused(path, "has no rows")
    _require_columns(columns, found, path)
    return found


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text without its byte order mark."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError:
        raise _refused(path, "there is no such file") from None
    except UnicodeDecodeError:
        raise _refused(path, "is not UTF-8") from None


def _require_columns(columns: Collection[str], found: list[Row], path: Path) -> None:
    names = [shortened(each, LONGEST_NAME) for each in islice(found[0].cells, MOST_NAMED)]
    more = len(found[0].cells) - len(names)
    known = ", ".join(names) + (f" and {more:,} more" if more else "")
    for column in sorted(columns):
        if not any(column in row.cells for row in found):
            raise InvalidArgument(
                f"data: {path.name}: has no column {column}; it has {known}", field=column
            )


def _csv(path: Path, content: str) -> Iterator[Row]:
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        reader = csv.DictReader(io.StringIO(content, newline=""), strict=True)
        names = reader.fieldnames or []
        if len(set(names)) != len(names) or not all(names):
            raise _refused(path, "its first line must name each column once")
        for number, cells in enumerate(reader, 1):
            where = f"row {number}"
            if None in cells or None in cells.values():
                why = f"must have {len(names)} cells, as the first line has"
                raise InvalidArgument(f"data: {where}: {why}", field="data")
            yield Row(where, cells)
    except csv.Error as error:
        raise _refused(path, f"is no CSV: {error}") from None
    finally:
        csv.field_size_limit(limit)


def _value(text: str) -> Any:
    """Parse JSON; raises ValueError if it is malformed or a number is not finite."""
    return json.loads(text, parse_constant=_finite, parse_float=_finite)


def _finite(number: str) -> float:
    if not math.isfinite(found := float(number)):
        raise ValueError
    return found


def _jsonl(path: Path, content: str) -> Iterator[Row]:
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = _value(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InvalidArgument(f"data: line {number}: is no JSON object", field="data")
        yield Row(f"line {number}", found)


def _json(path: Path, content: str) -> Iterator[Row]:
    """Yield the objects of a list, or of the list under `examples` as in BIG-Bench-Hard."""
    try:
        found = _value(content)
    except (ValueError, RecursionError):
        raise _refused(path, "is no JSON") from None
    found = found.get("examples") if isinstance(found, dict) else found
    if not isinstance(found, list):
        raise _refused(path, "must be a list of objects, or have one under examples")
    for number, each in enumerate(found, 1):
        if not isinstance(each, dict):
            raise InvalidArgument(f"data: example {number}: is no object", field="data")
        yield Row(f"example {number}", each)


PARTS = ("id", "input", "target", "cluster")
NEEDED = ("input",)


def table(
    path: Path,
    columns: Mapping[str, str] | None = None,
    *,
    scorers: Sequence[Scorer] = (),
    way: Way | None = None,
    name: str = "",
) -> Suite:
    """Return a suite with one item per row of a table.

    Args:
        path: the file.
        columns: maps `id`, `input`, `target` and `cluster` to columns with other names. Columns
            joined by `+` are combined into one object, such as a prompt's variables. Rows are
            numbered if they have no id.
        scorers: how answers are scored; `exact` if empty.
        way: how items are answered unless a run overrides it.
        name: the suite's name; the file's stem if empty.

    Raises:
        InvalidArgument: the file is malformed, `columns` maps an unknown part, or a required column
            or cell is missing.
    """
    mapping = dict(columns or {})
    for part in mapping:
        if part not in PARTS:
            raise InvalidArgument(
                f"column: {part}: must be one of {', '.join(PARTS)}", field="column"
            )
    scored = tuple(scorers) or (exact(),)
    needed = _needed(scored) | mapping.keys()
    found = read_rows(path, {each for part in needed for each in _split(mapping.get(part, part))})
    return _suite(name or path.stem, found, mapping, needed, scored, way)


def inline(
    cases: Sequence[Mapping[str, Any]],
    *,
    scorers: Sequence[Scorer] = (),
    way: Way | None = None,
    name: str = "cases",
) -> Suite:
    """Return a suite with one item per case, as `table` does for the rows of a file.

    Args:
        cases: objects with `input`, and optionally `id`, `target` and `cluster`.
        scorers, way, name: as in `table`.

    Raises:
        InvalidArgument: a case is no object, lacks a part, or has an unknown one.
    """
    found = []
    for number, case in enumerate(cases, 1):
        if not isinstance(case, Mapping):
            raise InvalidArgument(
                f'case {number}: must be an object such as {{"input": "2 + 2", "target": "4"}}',
                field="cases",
            )
        for part in case:
            if part not in PARTS:
                raise InvalidArgument(
                    f"case {number}: {shortened(str(part), LONGEST_NAME)}: unknown part; a case has"
                    f" {', '.join(PARTS)}",
                    field=str(part),
                )
        found.append(Row(f"case {number}", dict(case)))
    scored = tuple(scorers) or (exact(),)
    return _suite(name, found, {}, _needed(scored), scored, way)


def _needed(scorers: Sequence[Scorer]) -> set[str]:
    return {*NEEDED, *(("target",) if any(each.needs_target for each in scorers) else ())}


def _suite(
    name: str,
    rows: Sequence[Row],
    mapping: Mapping[str, str],
    needed: set[str],
    scorers: Sequence[Scorer],
    way: Way | None,
) -> Suite:
    items = [_item(row, number, mapping, needed) for number, row in enumerate(rows, 1)]
    return Suite(name, items, scorers, way, [row.where for row in rows])


def _item(row: Row, number: int, mapping: Mapping[str, str], needed: set[str]) -> Item:
    def part(name: str) -> Any:
        columns = _split(mapping.get(name, name))
        if name not in needed and all(row.is_empty(column) for column in columns):
            return None
        if len(columns) == 1:
            return row.cell(columns[0])
        return {column: row.cell(column) for column in columns}

    name, cluster = part("id"), part("cluster")
    return Item(
        id=str(number) if name is None else str(name),
        input=part("input"),
        target=part("target"),
        cluster="" if cluster is None else str(cluster),
    )


def _split(columns: str) -> list[str]:
    return [column for column in columns.split("+") if column] or [columns]


NAME = "SUITE"


def python_file(path: Path) -> Suite:
    """Execute a Python file and return its `SUITE`.

    Raises:
        InvalidArgument: the file is missing, fails, or defines no suite.
        CallerMistake: the file itself raised it.
    """
    spec = importlib.util.spec_from_file_location(f"reasonloom_suite_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise _refused(path, "there is no such file", "suite")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except CallerMistake:
        raise
    except Exception as error:  # noqa: BLE001  # a user's file can raise anything
        line = traceback.extract_tb(error.__traceback__)[-1].lineno
        why = f"cannot be run: {type(error).__name__}: {error} (line {line})"
        raise _refused(path, why, "suite") from None
    suite = getattr(module, NAME, None)
    if not isinstance(suite, Suite):
        raise _refused(path, f"must define {NAME} = Suite(...), as docs/evals.md shows", "suite")
    return suite
