"""Quotes the past where an agent reads it unasked: on one line, with nothing that could act.

What is quoted was said by anyone, in a page or a tool's output too. It must neither close a comment
or a tag, nor begin a heading or a block of code, nor name a file that the host would read in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from reasonloom.nodes.history.truncation import MARKER
from reasonloom.text import tokens
from reasonloom.text.cleaning import visible
from reasonloom.transcripts.rendering import UNSEEN

HARMLESS = str.maketrans({"<": "‹", ">": "›", "`": "'", "@": "\uff20"})  # noqa: RUF001
"""Stand in for what opens tags, comments, code and the host's own references to files."""

HIDDEN = re.compile(f"[{UNSEEN}]+")
LOOKED = 4_000
"""Characters looked at of what is quoted."""

FEWEST = 8
"""Tokens below which a quotation says nothing."""


def quoted(said: str, most: int) -> str:
    """Return `said` on one line of at most `most` tokens, harmless; what is cut ends with `…`."""
    plain = HIDDEN.sub("", visible(said[:LOOKED])).translate(HARMLESS)
    line = " ".join(plain.split())
    cut = len(said) > LOOKED
    while (size := tokens.count(line)) > most:
        line = line[: min(len(line) - 1, len(line) * most // size)].rstrip()
        cut = True
    return f"{line}…" if cut else line


def parts(content: str) -> Iterator[tuple[str, str]]:
    """Yield who speaks (`User`, `Assistant`, `Result`, …) and what follows, of a chunk's text."""
    marks = list(MARKER.finditer(content))
    ends = [*(mark.start() for mark in marks[1:]), len(content)]
    for mark, end in zip(marks, ends, strict=True):
        role = re.split(r"[:,\]]", mark.group()[1:], maxsplit=1)[0]
        yield role, content[mark.end() : end].strip()


def within(budget: int, lines: Iterable[str | None], *, last: Sequence[str] = ()) -> str:
    """Return the lines that fit into `budget` tokens together with those that come `last`.

    A line that does not fit is left out, and so is one that is None; later ones may still fit.
    """
    kept: list[str] = []
    for line in lines:
        if line is not None and tokens.count("\n".join([*kept, line, *last])) <= budget:
            kept.append(line)
    return "\n".join([*kept, *last])
