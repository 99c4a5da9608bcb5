"""Changes a JSON text where it must be changed, and leaves every other character as it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from reasonloom.errors import InvalidArgument

BOM = "\ufeff"
SPACE = re.compile(r"[ \t\n\r]*")
DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Child:
    """A member of an object, or an element of an array, and where it stands in the text.

    Attributes:
        key: the member's name, None in an array.
        start: where it begins: with its key, in an object.
        at: where its value begins; `end` is the place after it.
    """

    key: str | None
    start: int
    at: int
    end: int
    value: Any


def read(text: str) -> Any:
    """Return what a JSON text says.

    Raises:
        InvalidArgument: it is not JSON.
    """

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidArgument(f"not JSON: {error.msg} at {where}") from None
    except (ValueError, RecursionError):
        raise InvalidArgument("not JSON: a number that is none, or too deep") from None


def root(text: str) -> int:
    """Return where the outermost value of a JSON text begins."""
    return _after(text, 0)


def children(text: str, at: int) -> tuple[list[Child], int]:
    """Return what the object or array at `at` holds, and where its closing bracket stands."""
    closing = "}" if text[at] == "{" else "]"
    found: list[Child] = []
    place = _after(text, at + 1)
    while text[place] != closing:
        if text[place] == ",":
            place = _after(text, place + 1)
        start, key = place, None
        if closing == "}":
            key, place = DECODER.raw_decode(text, place)
            place = _after(text, _after(text, place) + 1)
        value, end = DECODER.raw_decode(text, place)
        found.append(Child(key, start, place, end, value))
        place = _after(text, end)
    return found, place


def member(text: str, at: int, key: str) -> Child | None:
    """Return an object's member of that name.

    Raises:
        InvalidArgument: it has two.
    """
    found = [child for child in children(text, at)[0] if child.key == key]
    if len(found) > 1:
        raise InvalidArgument(f"names {key} twice")
    return found[0] if found else None


def appended(text: str, at: int, value: Any, key: str | None = None) -> str:
    """Return `text` with one more member or element at the end of what begins at `at`.

    It is written in the manner of what stands before it, else of the whole text.
    """
    held, closing = children(text, at)
    feed = line_feed(text)
    if held:
        lead = space_before(text, held[-1].start)
        added = f",{lead}{written(value, key, lead, feed, text)}"
        return text[: held[-1].end] + added + text[held[-1].end :]
    line = text.rfind("\n", 0, at) + 1
    margin = SPACE.match(text, line)
    outer = margin.group() if margin and margin.end() <= at else ""
    if "\n" not in text.strip() and len(text.strip()) > len("{}"):
        return text[: at + 1] + written(value, key, "", feed, text) + text[closing:]
    lead = feed + outer + indent_unit(text)
    inner = lead + written(value, key, lead, feed, text) + feed + outer
    return text[: at + 1] + inner + text[closing:]


def without(text: str, at: int, index: int) -> str:
    """Return `text` without one of what the object or array at `at` holds."""
    held, closing = children(text, at)
    if len(held) == 1:
        return text[: at + 1] + text[closing:]
    if index:
        return text[: held[index - 1].end] + text[held[index].end :]
    return text[: held[0].start] + text[held[1].start :]


def written(value: Any, key: str | None, lead: str, feed: str, text: str) -> str:
    """Return a value as JSON: on lines of its own after a lead with a line feed, else on one."""
    if "\n" in lead:
        own = json.dumps(value, indent=indent_unit(text), ensure_ascii=False)
        own = own.replace("\n", feed + lead.rpartition("\n")[2])
        name = f"{json.dumps(key)}: "
    else:
        separators = (", ", ": ") if lead else (",", ":")
        own = json.dumps(value, separators=separators, ensure_ascii=False)
        name = json.dumps(key) + separators[1]
    return own if key is None else name + own


def indent_unit(text: str) -> str:
    """Return by what the text's first set-in line is set in; two spaces where none is."""
    first = re.search(r"\n([ \t]+)\S", text)
    return first[1] if first else "  "


def line_feed(text: str) -> str:
    """Return how the text's lines end."""
    return "\r\n" if "\r\n" in text else "\n"


def space_before(text: str, at: int) -> str:
    """Return the white space that ends before a place."""
    start = at
    while start and text[start - 1] in " \t\n\r":
        start -= 1
    return text[start:at]


def _after(text: str, at: int) -> int:
    """Return the first place from `at` on that is no space."""
    found = SPACE.match(text, at)
    return found.end() if found else at
