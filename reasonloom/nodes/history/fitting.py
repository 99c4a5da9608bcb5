"""Fits lists of lines into the tokens that an answer may have."""

from __future__ import annotations

from collections.abc import Sequence

from reasonloom.text import tokens

SPARE = 4
"""Tokens of the mark-up that a client sees around a note."""


def fitted(head: str, lines: Sequence[str], budget: int, more: str) -> tuple[str, int]:
    """Return the head with as many of the lines as fit into `budget` tokens, and how many.

    Where not all fit, `more` is the last line; `{n}` in it is how many are left out.
    """
    whole = "\n".join([head, *lines])
    if tokens.count(whole) <= budget:
        return whole, len(lines)
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if _size(head, lines, middle, more) <= budget else (low, middle - 1)
        )
    return "\n".join([head, *lines[:low], more.format(n=len(lines) - low)]), low


def room(budget: int, notes: Sequence[str]) -> int:
    """Return what of `budget` remains beside notes that stand below the text."""
    return max(
        budget // 2, budget - sum(tokens.count(f"[Note: {note}]\n") + SPARE for note in notes)
    )


def _size(head: str, lines: Sequence[str], shown: int, more: str) -> int:
    return tokens.count("\n".join([head, *lines[:shown], more.format(n=len(lines) - shown)]))
