"""Output of commands: JSON, progress bars, files, and text without control characters."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Column

from reasonloom.errors import InvalidArgument

T = TypeVar("T")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function that updates a bar on stderr: the amount done, and the total if known.

    Nothing is drawn if stderr is not a terminal.
    """
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def named_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that updates a progress bar on stderr: the name, amount done, and total."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )


def print_json(value: Any) -> None:
    """Print a value as indented JSON; types that JSON does not support are written as text."""
    typer.echo(json.dumps(value, default=str, ensure_ascii=False, indent=2))


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
    typer.echo(json.dumps(value, default=str, ensure_ascii=False))


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
