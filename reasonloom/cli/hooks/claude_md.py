"""Rewrites what stands between two marks in a Markdown file, and nothing else."""

from __future__ import annotations

import re

from reasonloom.errors import InvalidArgument

BEGIN, END = "<!-- reasonloom:history:begin -->", "<!-- reasonloom:history:end -->"
MARK = re.compile(r"<!--[ \t]*reasonloom:history:(begin|end)[ \t]*-->", re.IGNORECASE)
"""A mark as it was written, or as a formatter may have changed it."""


def marked(text: str) -> bool:
    """Return whether a file's text has any of the marks."""
    return MARK.search(text) is not None


def rewritten(text: str, block: str) -> str:
    """Return `text` with `block` between its marks; without marks both are put at its end.

    All that stands outside of the marks, and the marks themselves, stay as they are.

    Raises:
        InvalidArgument: a mark is alone, doubled, turned round, or not on a line of its own; or
            `block` has a mark.
    """
    if MARK.search(block):
        raise InvalidArgument("the block has a mark in it", field="block")
    feed = "\r\n" if "\r\n" in text else "\n"
    inner = feed + feed.join(block.strip().splitlines()) + feed
    found = list(MARK.finditer(text))
    if not found:
        gap = "" if not text else feed if text.endswith("\n") else feed * 2
        return f"{text}{gap}{BEGIN}{inner}{END}{feed}"
    if [mark[1].lower() for mark in found] != ["begin", "end"]:
        raise InvalidArgument("the marks are broken: one begin, then one end", field="marks")
    if not all(_alone(text, mark) for mark in found):
        raise InvalidArgument("a mark must stand on a line of its own", field="marks")
    begin, end = found
    return f"{text[: begin.end()]}{inner}{text[end.start() :]}"


def _alone(text: str, mark: re.Match[str]) -> bool:
    """Return whether nothing else stands on a mark's line."""
    start = text.rfind("\n", 0, mark.start()) + 1
    end = text.find("\n", mark.end())
    return not (text[start : mark.start()] + text[mark.end() : end if end >= 0 else None]).strip()
