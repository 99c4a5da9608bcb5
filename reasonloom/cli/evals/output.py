"""Writes what a command found to a file that was named, and sees before that it can."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from reasonloom.errors import InvalidArgument


def require_place(option: str, path: Path) -> None:
    """See that a file can be written, before the work is done whose result it is to hold.

    Raises:
        InvalidArgument: its folder is not there, or it cannot be written.
    """
    folder = path.absolute().parent
    if not os.path.isdir(folder):  # noqa: PTH112 - never raises, whatever the name is
        raise InvalidArgument(f"--{option}: the folder of {path.name} is not there", field=option)
    there = os.path.exists(path)  # noqa: PTH110
    if os.path.isdir(path) or not os.access(path if there else folder, os.W_OK):  # noqa: PTH112
        raise _refused(option, path)


def write(option: str, path: Path, text: str) -> None:
    """Write the file, and say where it is.

    Raises:
        InvalidArgument: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError:
        raise _refused(option, path) from None
    typer.echo(str(path))


def _refused(option: str, path: Path) -> InvalidArgument:
    return InvalidArgument(f"--{option}: {path.name} cannot be written", field=option)
