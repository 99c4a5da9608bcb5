"""Shortens text to one line."""

import textwrap

LINE_LENGTH = 72
"""Default length of a line in characters."""


def one_line(text: str) -> str:
    """Return `text` on one line, with unprintable characters replaced by spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def shortened(text: str, longest: int = LINE_LENGTH) -> str:
    """Return the beginning of `text` on one line, with an ellipsis if it is cut."""
    line = one_line(text[: 4 * longest])
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def shorten(text: str, longest: int, *, placeholder: str = " …") -> str:
    """Shorten like `textwrap.shorten`, without reading all of a long text."""
    head = text[: 8 * longest]
    fits = len(text) > len(head) and len(" ".join(head.split())) > longest
    return textwrap.shorten(head if fits else text, longest, placeholder=placeholder)
