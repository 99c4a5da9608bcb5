"""Output of commands: tables, JSON, progress bars, files, and text without control characters.

A table on a terminal has one line a row and never exceeds the terminal's width; in a pipe or file
nothing is shortened or wrapped. JSON keys never depend on where the output goes.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Column, Table
from rich.text import Text

from reasonloom.errors import InvalidArgument

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")
SHORT_ID = 8
SHORTEST_CELL = 8
GAP = 2
UNLIMITED = 100_000
"""Columns of a console whose output is not shown on a terminal."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function that updates a bar on stderr: the amount done, and the total if known.

    The bar has an estimate of the time left. Nothing is drawn if stderr is not a terminal.
    """
    with named_progress() as update:
        update(what, 0, None)
        yield lambda done, total: update(what, done, total)


@contextmanager
def named_progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """Yield a function that updates a bar on stderr: the name, amount done, and total if known."""
    with _bar() as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )


def _bar() -> "Progress":
    """Return a bar that is drawn only on a terminal, and vanishes at its end."""
    from rich import progress as rich_progress

    console = Console(stderr=True)
    return rich_progress.Progress(
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(bar_width=None),
        rich_progress.TaskProgressColumn(),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip


def print_json(value: Any) -> None:
    """Print a value as indented JSON; types that JSON does not support are written as text."""
    typer.echo(_json(value, indent=2))


def _json(value: Any, indent: int | None = None) -> str:
    """Return JSON in characters that the output can encode."""
    given = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    only_ascii = "utf" not in (sys.stdout.encoding or "").lower()
    return json.dumps(given, default=str, ensure_ascii=only_ascii, indent=indent)


def print_answer(answer: T, draw: Callable[[T], None], *, as_json: bool) -> None:
    """Print an answer as JSON, or draw it."""
    if as_json:
        print_json(answer)
    else:
        draw(answer)


def right_aligned(*names: str) -> list[Column]:
    """Return the columns of numbers with these names."""
    return [Column(name, justify="right") for name in names]


def print_json_line(value: Any) -> None:
    """Print a value as one line of JSON."""
    typer.echo(_json(value))


def print_rows(rows: Iterable[Any], draw: Callable[[], None], *, as_json: bool) -> None:
    """Print rows as one JSON object a line, or draw them."""
    if not as_json:
        draw()
        return
    for row in rows:
        print_json_line(row)


def on_terminal() -> bool:
    """Return whether the output is shown on a terminal."""
    return Console().is_terminal


def display_id(row_id: object) -> str:
    """Return the beginning of an id on a terminal, which commands accept too; else all of it."""
    return str(row_id)[:SHORT_ID] if on_terminal() else str(row_id)


def print_table(table: Table) -> None:
    """Print a table with one line a row, made to fit the terminal, or in full elsewhere.

    Columns justified to the right and those that must not wrap keep their width if possible. Of
    the others the widest are shortened first: those that fold in the middle, the rest at the end.
    If that is not enough, the last columns are left out.
    """
    console = Console(highlight=False)
    table.box, table.show_edge, table.pad_edge = None, False, False
    table.padding = (0, GAP, 0, 0)
    table.title_justify, table.caption_justify = "left", "left"
    if console.is_terminal:
        _fit(table, console.width)
        console.print(table)
        return
    plain = Console(width=UNLIMITED, highlight=False)
    for column in table.columns:
        column.no_wrap = True
    with plain.capture() as captured:
        plain.print(table)
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _fit(table: Table, width: int) -> None:
    """Shorten the cells of a table to this width."""
    sizes = [_width(column) for column in table.columns]
    flexible = [_is_flexible(column) for column in table.columns]
    while _total(sizes) > width and any(flexible):
        widest = max((size, place) for place, size in enumerate(sizes) if flexible[place])
        size, place = widest
        if size <= SHORTEST_CELL:
            break
        sizes[place] = max(SHORTEST_CELL, size - (_total(sizes) - width))
    while _total(sizes) > width and len(sizes) > 1:
        sizes.pop()
        table.columns.pop()
    for column, size in zip(table.columns, sizes, strict=True):
        middle, column.overflow, column.no_wrap = column.overflow == "fold", "ellipsis", True
        column._cells = [_shortened(cell, size, middle=middle) for cell in column._cells]


def _total(sizes: list[int]) -> int:
    return sum(sizes) + GAP * (len(sizes) - 1)


def _is_flexible(column: Column) -> bool:
    return column.justify != "right" and not column.no_wrap


def _width(column: Column) -> int:
    cells = [column.header, *column._cells]
    return max(cell_len(line) for cell in cells for line in (_text(cell).plain.split("\n")))


def _text(cell: Any) -> Text:
    return cell if isinstance(cell, Text) else Text.from_markup(str(cell))


def _shortened(cell: Any, size: int, *, middle: bool) -> Text:
    """Return a cell of at most `size` columns, on one line."""
    text = _text(cell).copy()
    text.plain = " ".join(text.plain.split("\n")) if "\n" in text.plain else text.plain
    if cell_len(text.plain) > size and middle:
        head, tail = size // 2, size - size // 2 - 1
        return Text.assemble(text[:head], "…", text[len(text) - tail :])
    text.truncate(size, overflow="ellipsis")
    return text


def print_lines(drawn: RenderableType) -> None:
    """Print text or a tree that the terminal wraps by words; elsewhere lines are not wrapped."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=UNLIMITED)
    with console.capture() as captured:
        console.print(drawn)
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def printable(text: str, *, keep: str = "", replacement: str = "") -> str:
    """Return a text with control characters, except those in `keep`, removed or replaced."""
    return "".join(each if each.isprintable() or each in keep else replacement for each in text)


def wide_console(width: int) -> Console:
    """Return a console at least `width` columns wide if the output is not a terminal."""
    console = Console()
    wide = console.is_terminal or console.width >= width
    return console if wide else Console(width=width)


def require_output_path(option: str, path: Path) -> None:
    """Require that a file can be written, before doing the work whose result it will contain.

    Raises:
        InvalidArgument: its folder does not exist, or it cannot be written.
    """
    folder = path.absolute().parent
    if not os.path.isdir(folder):  # noqa: PTH112 - never raises
        raise InvalidArgument(f"--{option}: the folder of {path.name} is not there", field=option)
    there = os.path.exists(path)  # noqa: PTH110
    if os.path.isdir(path) or not os.access(path if there else folder, os.W_OK):  # noqa: PTH112
        raise _unwritable(option, path)


def write_output(option: str, path: Path, text: str) -> None:
    """Write the file, and print its path.

    Raises:
        InvalidArgument: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError:
        raise _unwritable(option, path) from None
    typer.echo(str(path))


def _unwritable(option: str, path: Path) -> InvalidArgument:
    return InvalidArgument(f"--{option}: {path.name} cannot be written", field=option)
