"""Escapes texts of users for Markdown."""

import re
from collections.abc import Iterator

BLOCKS = frozenset("#+-=:")
"""Characters that start a block at the beginning of a line."""

INLINE = re.compile(r"[\\`*_\[\]<>&~|$]")
NUMBERED = re.compile(r"^(\d+)([.)])")
MARGIN = "\u00a0"
"""Indents without starting a code block: Markdown only counts plain blanks and tabs."""


def in_markdown(line: str) -> str:
    """Return one line of text escaped for Markdown (CommonMark, GFM), unprintables as blanks."""
    printable = "".join(c if c.isprintable() else " " for c in line).rstrip()
    text = printable.lstrip()
    escaped = INLINE.sub(r"\\\g<0>", text)
    escaped = NUMBERED.sub(r"\1\\\2", escaped)
    if escaped[:1] in BLOCKS:
        escaped = f"\\{escaped}"
    return MARGIN * (len(printable) - len(text)) + escaped


def quoted(text: str) -> str:
    """Return a text of many lines as a block quote, its line breaks kept."""
    lines = (in_markdown(line) for line in text.splitlines())
    return "  \n".join(f"> {line}".rstrip() for line in lines)


def quoted_start(text: str, longest: int) -> Iterator[str]:
    """Yield the beginning of a text as a block quote, and how much of it is cut."""
    yield quoted(text[:longest])
    if len(text) > longest:
        yield f"*Cut: the first {longest:,} of {len(text):,} characters.*"
