"""Escapes texts of users for Markdown."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reasonloom.text.shortening import shortened

BLOCKS = frozenset("#+-=:")
"""Characters that start a block at the beginning of a line."""

INLINE = re.compile(r"[\\`*_\[\]<>&~|$]")
LONGEST_METADATA = 500
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


def metadata_line(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Yield metadata as one line of JSON, its end cut where it is long; nothing for none."""
    if metadata:
        line = json.dumps(metadata, ensure_ascii=False)
        yield f"Metadata: {in_markdown(shortened(line, LONGEST_METADATA))}"
