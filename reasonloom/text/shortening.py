"""Shortens text to one line."""

LINE_LENGTH = 72
"""Characters of a text that fit on one line."""


def one_line(text: str) -> str:
    """Return `text` on one line, with unprintable characters as blanks."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def shortened(text: str, longest: int = LINE_LENGTH) -> str:
    """Return the beginning of `text` on one line, with an ellipsis where it is cut."""
    line = one_line(text[: 4 * longest])
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"
