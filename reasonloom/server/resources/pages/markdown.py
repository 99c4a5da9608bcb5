"""Makes texts of others harmless in Markdown and in a Mermaid drawing."""

from __future__ import annotations

import re

BLOCKS = frozenset("#+-=:")
"""Signs that begin a block where they begin a line."""

INLINE = re.compile(r"[\\`*_\[\]<>&~|$]")
NUMBERED = re.compile(r"^(\d+)([.)])")
MARGIN = "\u00a0"
"""Indentation that is no code block: Markdown's blocks know plain blanks and tabs alone."""


def in_markdown(line: str) -> str:
    """Return one line of text that Markdown (CommonMark, GFM) shows as it is.

    Characters that cannot be printed become blanks.
    """
    shown = "".join(c if c.isprintable() else " " for c in line).rstrip()
    text = shown.lstrip()
    escaped = INLINE.sub(r"\\\g<0>", text)
    escaped = NUMBERED.sub(r"\1\\\2", escaped)
    if escaped[:1] in BLOCKS:
        escaped = f"\\{escaped}"
    return MARGIN * (len(shown) - len(text)) + escaped


def quoted(text: str) -> str:
    """Return a text of many lines as a block quote, its line breaks kept."""
    lines = (in_markdown(line) for line in text.splitlines())
    return "  \n".join(f"> {line}".rstrip() for line in lines)
