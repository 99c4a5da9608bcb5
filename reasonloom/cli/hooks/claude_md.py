"""Rewrites the block between two marks in a Markdown file, and nothing else."""

import re
from pathlib import Path

from reasonloom.cli.user_files.rewrite import read_file, replace_file
from reasonloom.errors import InvalidArgument

BEGIN, END = "<!-- reasonloom:history:begin -->", "<!-- reasonloom:history:end -->"
MARK = re.compile(r"<!--[ \t]*reasonloom:history:(begin|end)[ \t]*-->", re.IGNORECASE)
"""A mark, including forms that a formatter may have changed it to."""


def has_marks(text: str) -> bool:
    """Return whether a text has any of the marks."""
    return MARK.search(text) is not None


def replace_block(text: str, block: str) -> str:
    """Return `text` with `block` between its marks; missing marks are added at the end.

    The marks and everything outside of them are unchanged.

    Raises:
        InvalidArgument: a mark is unpaired, duplicated, in the wrong order, or not on its own line;
            or `block` contains a mark.
    """
    if MARK.search(block):
        raise InvalidArgument("the block contains a marker", field="block")
    feed = "\r\n" if "\r\n" in text else "\n"
    inner = feed + feed.join(block.strip().splitlines()) + feed
    found = list(MARK.finditer(text))
    if not found:
        gap = "" if not text else feed if text.endswith("\n") else feed * 2
        return f"{text}{gap}{BEGIN}{inner}{END}{feed}"
    if [mark[1].lower() for mark in found] != ["begin", "end"]:
        raise InvalidArgument("the markers must be one begin, then one end", field="marks")
    if not all(_on_own_line(text, mark) for mark in found):
        raise InvalidArgument("a marker must be on a line of its own", field="marks")
    begin, end = found
    return f"{text[: begin.end()]}{inner}{text[end.start() :]}"


def _on_own_line(text: str, mark: re.Match[str]) -> bool:
    """Return whether a mark is alone on its line."""
    start = text.rfind("\n", 0, mark.start()) + 1
    end = text.find("\n", mark.end())
    return not (text[start : mark.start()] + text[mark.end() : end if end >= 0 else None]).strip()


FILE_NAME = "CLAUDE.md"
NO_HISTORY = "No past conversations of this project are stored."


def update_claude_md(folder: Path, notes: str | None) -> str:
    """Write `notes` into the marked block of a project's CLAUDE.md; return what was done.

    Without notes, an existing block is emptied, and none is added.

    Raises:
        InvalidArgument: the file or its marks are invalid; nothing is changed.
        Conflict: it was changed in the meantime; nothing is changed.
    """
    place = folder / FILE_NAME
    found = read_file(place)
    if found is None:
        return f"no {FILE_NAME} in the project's folder: nothing to do"
    text = found.text
    if notes is None and not has_marks(text):
        return "nothing is stored about this project: no block was written"
    elsewhere = place.is_symlink() and not found.path.is_relative_to(folder.resolve())
    if elsewhere and not has_marks(text):
        message = f"{FILE_NAME}: a link out of the project's folder, to a file without our markers"
        raise InvalidArgument(f"{message}; nothing was changed", field="file")
    try:
        new = replace_block(text, notes or NO_HISTORY)
    except InvalidArgument as error:
        raise InvalidArgument(f"{FILE_NAME}: {error.message}; nothing was changed") from None
    if new == text:
        return f"{FILE_NAME} was up to date"
    replace_file(found, new.encode())
    return f"{FILE_NAME} was rewritten" if has_marks(text) else f"a block was added to {FILE_NAME}"
