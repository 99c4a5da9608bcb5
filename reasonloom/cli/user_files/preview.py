"""Displays a change of a user's file as a diff, and asks for confirmation."""

import difflib
import re
import sys
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path

import typer

CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
CONTEXT_LINES = 3
"""Lines printed before and after a change."""

MAX_LINE, CONTEXT_CHARACTERS = 1_000, 200
"""Longest line printed in full; of a longer one, this many characters around the change."""


def show_change(path: Path, old: str, new: str, hide: Callable[[str], str] = str) -> None:
    """Print the change as a diff.

    Args:
        path: the file.
        old: its present text.
        new: its future text.
        hide: removes secrets from a text, preserving its number of lines.
    """
    before, after = _lines(old), _lines(new)
    visible_before, visible_after = _lines(hide(old)), _lines(hide(new))
    typer.echo(f"--- {path}\n+++ {path} (changed)")
    head, tail = _common_ends(before, after)
    skip, end = max(0, head - CONTEXT_LINES), max(0, tail - CONTEXT_LINES)
    matcher = difflib.SequenceMatcher(
        None, before[skip : len(before) - end], after[skip : len(after) - end]
    )
    for group in matcher.get_grouped_opcodes(CONTEXT_LINES):
        typer.echo(f"@@ from line {skip + group[0][1] + 1} @@")
        for tag, *places in group:
            first, last, new_first, new_last = (skip + place for place in places)
            if tag == "equal":
                _print_lines(" ", visible_before[first:last])
            else:
                gone, come = _trim_pair(
                    visible_before[first:last], visible_after[new_first:new_last]
                )
                _print_lines("-", gone)
                _print_lines("+", come)


def _common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many items are equal at the start and at the end.

    Skipping them makes comparing a file of 300,000 lines fast.
    """
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    ends = zip(reversed(old), reversed(new), strict=False)
    tail = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    return head, min(tail, len(old) - head, len(new) - head)


def _trim_pair(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Return the old and new lines; of a single long line, only the part near the change."""
    if len(old) != 1 or len(new) != 1 or len(new[0]) <= MAX_LINE:
        return old, new
    head, tail = (max(0, alike - CONTEXT_CHARACTERS) for alike in _common_ends(old[0], new[0]))
    return [_cut(old[0], head, tail)], [_cut(new[0], head, tail)]


def _cut(line: str, head: int, tail: int) -> str:
    """Return a line with `head` characters at its start and `tail` at its end elided."""
    before = f"[{head:,} characters] " if head else ""
    after = f" [{tail:,} characters]" if tail else ""
    return before + line[head : len(line) - tail] + after


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _print_lines(sign: str, lines: list[str]) -> None:
    for line in lines:
        visible = line if sign != " " else _cut(line, 0, max(0, len(line) - MAX_LINE))
        typer.echo(CONTROL_CHARACTERS.sub("\ufffd", sign + visible))


def confirm_change(yes: bool, *, dry_run: bool = False) -> bool:
    """Return whether to write the change: False with `dry_run`, True if the user agrees.

    Raises:
        Exit: with code 1 if the user does not agree.
    """
    if dry_run:
        typer.echo("nothing was written")
        return False
    if yes:
        return True
    if not sys.stdin.isatty():
        typer.echo(
            "There is no terminal to confirm at, so nothing was written; give --yes to write.",
            err=True,
        )
        raise typer.Exit(1)
    if not typer.confirm("Write this?"):
        typer.echo("nothing was written")
        raise typer.Exit(1)
    return True
