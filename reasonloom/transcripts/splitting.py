"""Splits a long text at blank lines, else between sentences, else anywhere; loses nothing."""

import re
import unicodedata
from collections.abc import Iterator

from reasonloom.text.tokens import TokenCounter

FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
SENTENCE = re.compile(r"(?<=[.!?。！？…])[\"'”’)\]]*\s+|(?<=[。！？])|\n")

JOINED = "\u200d\ufe0f\ufe0e"
"""Characters that combine with the previous or the next one."""


def split(text: str, room: int, most: int, count: TokenCounter) -> Iterator[tuple[str, int]]:
    """Yield the pieces of `text` in order, losing nothing, each with its number of tokens.

    `room` is the preferred maximum tokens of a piece; a code block is not split up to `most`.
    """
    parts = (part for block in blocks(text) for part in _within(block, room, most, count))
    yield from _packed(parts, room)


def _within(text: str, room: int, most: int, count: TokenCounter) -> Iterator[tuple[str, int]]:
    """Yield a block whole if it fits, else its sentences, splitting long ones."""
    tokens = count(text)
    if tokens <= (most if FENCE.match(text) else room):
        yield text, tokens
        return
    for sentence in sentences(text):
        tokens = count(sentence)
        if tokens <= room:
            yield sentence, tokens
        else:
            yield from _hard(sentence, room, count)


def _packed(pieces: Iterator[tuple[str, int]], room: int) -> Iterator[tuple[str, int]]:
    """Yield neighbouring pieces, joined as long as they fit."""
    kept, tokens = "", 0
    for piece, more in pieces:
        if kept and tokens + more > room:
            yield kept, tokens
            kept, tokens = "", 0
        kept, tokens = kept + piece, tokens + more
    if kept:
        yield kept, tokens


def blocks(text: str) -> Iterator[str]:
    """Yield the blocks between blank lines; a fenced code block is one block."""
    kept: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if fence:
            kept.append(line)
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                yield "".join(kept)
                kept, fence = [], ""
            continue
        if mark:
            if kept:
                yield "".join(kept)
            kept, fence = [line], mark[1]
            continue
        kept.append(line)
        if not line.strip():
            yield "".join(kept)
            kept = []
    if kept:
        yield "".join(kept)


def sentences(text: str) -> Iterator[str]:
    """Yield sentences and lines."""
    start = 0
    for match in SENTENCE.finditer(text):
        if match.end() > start:
            yield text[start : match.end()]
            start = match.end()
    if start < len(text):
        yield text[start:]


def _hard(text: str, room: int, count: TokenCounter) -> Iterator[tuple[str, int]]:
    """Yield pieces, cut at spaces and between graphemes if possible."""
    start = 0
    while start < len(text):
        length = min(len(text) - start, room * 4)
        end = _border(text, start, start + length)
        tokens = count(text[start:end])
        while tokens > room and end - start > 1:
            length = max(1, min(length - 1, length * room // tokens))
            end = _border(text, start, start + length)
            tokens = count(text[start:end])
        yield text[start:end], tokens
        start = end


def _border(text: str, start: int, end: int) -> int:
    """Return the best position after `start` to cut at, at or shortly before `end`."""
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", start + (end - start) * 3 // 4, end)
    if space > start:
        return space + 1
    at = end
    while at > max(start + 1, end - 16) and _bound(text, at):
        at -= 1
    return end if _bound(text, at) else at


def _bound(text: str, at: int) -> bool:
    """Return whether a cut before `text[at]` would split a grapheme."""
    here, before = text[at], text[at - 1]
    return here in JOINED or before == "\u200d" or unicodedata.combining(here) > 0
