"""Passages: what one speaker said or one tool gave within a chunk, long ones in several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MARKED = re.compile(
    r"^\[(?:User|Assistant|Thinking|Tool|Result|Summary)(?:: (?P<name>[^\]\n]{1,60}?))?"
    r"(?:, error)?(?:, continued)?\](?=\s|$)",
    re.MULTILINE,
)
"""A role marker, whether what is said begins beside it or below."""

LONG = 600
"""Characters above which a part is several passages, each of about so many."""

BREAK = re.compile(r"\n\n+|\n(?=[-*#|] )|(?<=[.!?。！？…])\s+|(?<=[。！？])|\n")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a chunk.

    Attributes:
        start, end: where it stands in the chunk's text.
        marker: that of its part, the empty text for none.
        name: the speaker's or the tool's.
        first: it begins its part.
    """

    start: int
    end: int
    marker: str
    name: str | None
    first: bool


def passages(content: str) -> list[Passage]:
    """Return the passages of a chunk's text in order; together they are all of it."""
    marks = list(MARKED.finditer(content))
    if not marks or marks[0].start():
        bounds = [(0, "", None), *((m.start(), m.group(), m["name"]) for m in marks)]
    else:
        bounds = [(m.start(), m.group(), m["name"]) for m in marks]
    ends = [*(start for start, *_ in bounds[1:]), len(content)]
    return [
        Passage(begin, until, marker, name, begin == start)
        for (start, marker, name), end in zip(bounds, ends, strict=True)
        for begin, until in _pieces(content, start, end)
    ]


def _pieces(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where a part is divided: at a break near each LONG characters."""
    while end - start > LONG * 1.5:
        window = content[start : start + LONG]
        at = max((m.end() for m in BREAK.finditer(window) if m.end() > LONG // 3), default=LONG)
        yield start, start + at
        start += at
    yield start, end
