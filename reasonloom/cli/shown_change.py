"""Shows a person what will be changed in a file of theirs, asks, and writes it beside a backup."""

from __future__ import annotations

import difflib
import re
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from reasonloom.cli.replace_file import Found

BACKUP = ".before-reasonloom"
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
AROUND = 3
"""Lines that are shown before and after a change."""


def show(path: Path, old: str, new: str, hide: Callable[[str], str] = str) -> None:
    """Print the change as a diff.

    Args:
        path: of the file.
        old: what it holds.
        new: what it shall hold.
        hide: returns a text of as many lines that may be read by anybody who sees the screen.
    """
    before, after = _lines(old), _lines(new)
    said_before, said_after = _lines(hide(old)), _lines(hide(new))
    typer.echo(f"--- {path}\n+++ {path} (changed)")
    for group in difflib.SequenceMatcher(None, before, after).get_grouped_opcodes(AROUND):
        typer.echo(f"@@ from line {group[0][1] + 1} @@")
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                _say(" ", said_before[start:end])
            else:
                _say("-", said_before[start:end])
                _say("+", said_after[new_start:new_end])


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _say(sign: str, lines: list[str]) -> None:
    for line in lines:
        typer.echo(UNSEEN.sub("\ufffd", sign + line))


def ask(yes: bool) -> None:
    """Go on only if a person agrees.

    Raises:
        Exit: with 1, where nobody did.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        typer.echo("Nobody can be asked here, nothing was written; give --yes to write.", err=True)
        raise typer.Exit(1)
    if not typer.confirm("Write this?"):
        typer.echo("nothing was written")
        raise typer.Exit(1)


def write_beside_backup(path: Path, found: Found | None, new: str | None) -> None:
    """Write the file, and beside it what it was before; None takes it away.

    Raises:
        Conflict: it was changed since it was read; nothing is written.
        InvalidArgument: it, or its folder, may not be written.
    """
    from reasonloom.cli.replace_file import replace, write  # noqa: PLC0415
    from reasonloom.errors import InvalidArgument  # noqa: PLC0415

    if found is None:
        assert new is not None  # noqa: S101 - nothing is taken out of no file
        real = path.resolve()
        try:
            real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            backup(real).unlink(missing_ok=True)
        except OSError:
            raise InvalidArgument(f"{path}: its folder may not be written", field="file") from None
        write(real, new.encode())
        return
    write(backup(found.path), found.data, mode=stat.S_IMODE(found.stat.st_mode))
    if new is None:
        found.path.unlink()
    else:
        replace(found, new.encode())


def backup(path: Path) -> Path:
    """Return where what a file was before is kept."""
    return path.with_name(path.name + BACKUP)
