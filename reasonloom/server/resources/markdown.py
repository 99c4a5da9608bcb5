"""Escapes user texts for Markdown."""

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
"""Indents without starting a code block: Markdown counts only plain spaces and tabs."""


def in_markdown(line: str) -> str:
    """Return a line escaped for Markdown (CommonMark, GFM), with unprintables as spaces."""
    printable = "".join(c if c.isprintable() else " " for c in line).rstrip()
    text = printable.lstrip()
    escaped = INLINE.sub(r"\\\g<0>", text)
    escaped = NUMBERED.sub(r"\1\\\2", escaped)
    if escaped[:1] in BLOCKS:
        escaped = f"\\{escaped}"
    return MARGIN * (len(printable) - len(text)) + escaped


def quoted(text: str) -> str:
    """Return a multi-line text as a block quote, preserving line breaks."""
    lines = (in_markdown(line) for line in text.splitlines())
    return "  \n".join(f"> {line}".rstrip() for line in lines)


def quoted_start(text: str, longest: int) -> Iterator[str]:
    """Yield the start of a text as a block quote, and a note if it is cut."""
    yield quoted(text[:longest])
    if len(text) > longest:
        yield f"*Cut: the first {longest:,} of {len(text):,} characters.*"


def metadata_line(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Yield metadata as one line of JSON, shortened if long; nothing if there is none."""
    if metadata:
        line = json.dumps(metadata, ensure_ascii=False)
        yield f"Metadata: {in_markdown(shortened(line, LONGEST_METADATA))}"
