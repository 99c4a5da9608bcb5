"""Changes JSON that may have comments and trailing commas, as editors read it, member by member."""

from __future__ import annotations

import re
from typing import Any

from reasonloom.cli.user_files.json_edits import (
    BOM,
    Child,
    children,
    indent_unit,
    line_feed,
    member,
    read,
    root,
    space_before,
    written,
)
from reasonloom.errors import InvalidArgument

TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
TRAILING = re.compile(r'"(?:\\.|[^"\\\n])*"|,(?=\s*[}\]])')
SEEN = re.compile(r"\S")


def plain(text: str, *, comments: bool = True) -> str:
    """Return JSON of the same length in which comments and trailing commas are spaces.

    Where `comments` is False they stay, so that they are refused as no JSON.

    Raises:
        InvalidArgument: it is not JSON, or not an object.
    """
    bare = " " + text[1:] if text.startswith(BOM) else text
    if comments:
        bare = TOKEN.sub(lambda found: _spaces(found, "/"), bare)
        bare = TRAILING.sub(lambda found: _spaces(found, ","), bare)
    if not isinstance(read(bare), dict):
        raise InvalidArgument("must be a JSON object")
    return bare


def put(text: str, bare: str, path: tuple[str, ...], value: Any) -> str:
    """Return `text` with `value` at `path`; all that is not named by it stays as it is.

    Args:
        text: of the file.
        bare: the same without comments, see `plain`.
        path: keys from the outermost object on; objects that are missing are made.
        value: what shall stand there.

    Raises:
        InvalidArgument: something on the way is no object, or is there twice.
    """
    at = root(bare)
    for index, key in enumerate(path):
        found = member(bare, at, key)
        if found is None:
            for missing in reversed(path[index + 1 :]):
                value = {missing: value}
            return _with_member(text, bare, at, key, value)
        if index + 1 == len(path):
            return _with_value(text, found, value)
        if not isinstance(found.value, dict):
            raise InvalidArgument(f"{'.'.join(path[: index + 1])}: must be an object")
        at = found.at
    return text


def take(text: str, bare: str, path: tuple[str, ...]) -> str:
    """Return `text` without the member at `path`, which is there; comments beside it stay."""
    at = root(bare)
    for key in path[:-1]:
        held = member(bare, at, key)
        assert held is not None  # noqa: S101 - the caller has seen it
        at = held.at
    held_here, closing = children(bare, at)
    index = next(place for place, child in enumerate(held_here) if child.key == path[-1])
    child = held_here[index]
    start = child.start - len(space_before(text, child.start))
    comma = _comma_between(text, child.end, closing)
    if comma is not None:
        return text[:start] + text[child.end : comma] + text[comma + 1 :]
    left = text[:start] + text[child.end :]
    before = _comma_between(text, held_here[index - 1].end, child.start) if index else None
    return left if before is None else left[:before] + left[before + 1 :]


def _with_value(text: str, found: Child, value: Any) -> str:
    if found.value == value:
        return text
    lead = space_before(text, found.start)
    own = written(value, None, lead, line_feed(text), text)
    return text[: found.at] + own + text[found.end :]


def _with_member(text: str, bare: str, at: int, key: str, value: Any) -> str:
    """Return `text` with one more member at the end of an object, after any comments there."""
    held, closing = children(bare, at)
    line = _margin(text, at)
    inside = text[at + 1 : closing]
    end = closing - (len(inside) - len(inside.rstrip()))
    lead = space_before(text, held[-1].start) if held else ""
    on_one_line = "\n" not in text.strip() and len(text.strip()) > len("{}")
    if "\n" not in lead and not (held and "\n" not in inside) and not on_one_line:
        lead = line_feed(text) + line + indent_unit(text)
    own = written(value, key, lead, line_feed(text), text)
    last = held[-1].end if held else end
    comma = held and _comma_between(text, last, closing) is None
    closes = "\n" in lead and not held and "\n" not in text[end:closing]
    tail = line_feed(text) + line if closes else ""
    return text[:last] + ("," if comma else "") + text[last:end] + lead + own + tail + text[end:]


def _comma_between(text: str, start: int, end: int) -> int | None:
    """Return where a comma stands between two places, comments left aside."""
    bare = TOKEN.sub(lambda found: _spaces(found, "/"), text[start:end])
    place = bare.find(",")
    return None if place < 0 else start + place


def _spaces(found: re.Match[str], first: str) -> str:
    said = found[0]
    return SEEN.sub(" ", said) if said.startswith(first) else said


def _margin(text: str, at: int) -> str:
    """Return by what the line of `at` is set in."""
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix(BOM)
    return line[: len(line) - len(line.lstrip(" \t"))]
