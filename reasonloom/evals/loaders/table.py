"""A suite from a plain CSV, JSONL or JSON file, whose columns are named by a mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.loaders.files import Row, require, rows
from reasonloom.evals.scorers.text import exact

if TYPE_CHECKING:
    from reasonloom.evals.core.scorer import Scorer
    from reasonloom.evals.core.way import Way

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
    """Return a suite of a table's rows.

    Args:
        path: the file.
        columns: names the column of `id`, `input`, `target` and `cluster` where it has another
            name. Rows without an id are numbered; several columns joined by `+` make an input
            that is an object of them, as a prompt's variables.
        scorers: how answers are scored; `exact` if none.
        way: how items are answered, unless a run names another way.
        name: of the suite; the file's if none.

    Raises:
        InvalidArgument: a column is missing, or a cell that is needed is empty; names both.
    """
    told = dict(columns or {})
    for part in told:
        if part not in PARTS:
            raise InvalidArgument(
                f"column: {part}: must be one of {', '.join(PARTS)}", field="column"
            )
    found, scored = rows(path), tuple(scorers) or (exact(),)
    needed = {*NEEDED, *told}
    if any(scorer.needs_target for scorer in scored):
        needed.add("target")
    require({each for part in needed for each in _split(told.get(part, part))}, found, path)
    items = [_item(row, number, told, needed) for number, row in enumerate(found, 1)]
    return Suite(name or path.stem, items, scored, way, [row.where for row in found])


def _item(row: Row, number: int, told: Mapping[str, str], needed: set[str]) -> Item:
    def part(name: str) -> Any:
        columns = _split(told.get(name, name))
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
