"""Shows where the words of a query stand in a content: short excerpts with <b> round them.

The content is shown as it was stored: HTML in it is not escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from reasonloom.stores.memory.search.fulltext_query import MARK, UNMARK

WHOLE = 400
"""A content of no more characters is shown whole."""
EXCERPT = 200
"""Characters of each excerpt of a longer one."""
BEFORE = 60
"""Characters of an excerpt before its first mark."""
MOST_EXCERPTS = 3
MARKED = re.compile(f"{MARK}|{UNMARK}")
BETWEEN = re.compile(r"\s+|[^\s\w]{1,2}")
Span = tuple[int, int]


def highlight(marked: str, spelled: Sequence[str]) -> str:
    """Return the highlight of a content whose words are marked; `spelled` terms are found here.

    At most three excerpts of some 200 characters, joined by an ellipsis; the beginning of a
    long content where nothing is marked in it.
    """
    content, spans = _unmarked(marked)
    if spelled:
        letters = re.compile("|".join(map(re.escape, spelled)), re.IGNORECASE)
        spans += [match.span() for match in letters.finditer(content)]
    joined = list(_joined(content, spans))
    windows = _windows(content, joined)
    shown = " … ".join(_shown(content, window, joined) for window in windows)
    ahead = "… " if windows[0][0] > 0 else ""
    return f"{ahead}{shown}{' …' if windows[-1][1] < len(content) else ''}"


def _unmarked(marked: str) -> tuple[str, list[Span]]:
    """Return a content without its marks, and the spans that they stood round."""
    pieces = MARKED.split(marked)
    spans, at = [], 0
    for place, piece in enumerate(pieces):
        if place % 2:
            spans.append((at, at + len(piece)))
        at += len(piece)
    return "".join(pieces), spans


def _joined(content: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans in order, those that only spaces or marks of a word part made one."""
    start = end = -1
    for first, last in sorted(spans):
        if end >= 0 and (first <= end or BETWEEN.fullmatch(content, end, first)):
            end = max(end, last)
            continue
        if end >= 0:
            yield start, end
        start, end = first, last
    if end >= 0:
        yield start, end


def _windows(content: str, spans: Sequence[Span]) -> list[Span]:
    """Return what of a content is shown: all, or excerpts round its first spans."""
    if len(content) <= WHOLE:
        return [(0, len(content))]
    windows: list[Span] = []
    for first, last in spans or [(0, 0)]:
        newest = windows[-1][1] if windows else 0
        if len(windows) < MOST_EXCERPTS and (first >= newest or not windows):
            windows.append(_window(content, newest, first, last))
    return windows


def _window(content: str, least: int, first: int, last: int) -> Span:
    """Return an excerpt round a span, cut at spaces where there are some."""
    start = max(least, first - BEFORE)
    end = min(len(content), start + EXCERPT)
    if least < start:
        start = content.find(" ", start, first) + 1 or start
    if end < len(content):
        space = content.rfind(" ", min(last, end), end)
        end = space if space > 0 else end
    return start, end


def _shown(content: str, window: Span, spans: Iterable[Span]) -> str:
    """Return the window's text with <b> round the spans in it."""
    at, end = window
    pieces = []
    for span in spans:
        first, last = max(span[0], at), min(span[1], end)
        if first < last:
            pieces.append(f"{content[at:first]}<b>{content[first:last]}</b>")
            at = last
    return "".join((*pieces, content[at:end]))
