"""Edits JSON text, also with comments and trailing commas, preserving every other character."""

import json
import re
from dataclasses import dataclass
from typing import Any

from reasonloom.errors import InvalidArgument

BOM = "\ufeff"
WHITESPACE = re.compile(r"[ \t\n\r]*")
DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Child:
    """A member of an object or an element of an array, with its offsets in the text.

    Attributes:
        key: the member's name, None in an array.
        start: its offset; in an object, that of its key.
        at: the offset of its value; `end` is the offset after it.
    """

    key: str | None
    start: int
    at: int
    end: int
    value: Any


def parse_json(text: str) -> Any:
    """Parse JSON.

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
        raise InvalidArgument("not JSON: an invalid number, or nested too deeply") from None


def root_offset(text: str) -> int:
    """Return the offset of the outermost value."""
    return _skip_space(text, 0)


def children(text: str, at: int) -> tuple[list[Child], int]:
    """Return the children of the object or array at `at`, and the offset of its closing bracket."""
    closing = "}" if text[at] == "{" else "]"
    found: list[Child] = []
    place = _skip_space(text, at + 1)
    while text[place] != closing:
        if text[place] == ",":
            place = _skip_space(text, place + 1)
        start, key = place, None
        if closing == "}":
            key, place = DECODER.raw_decode(text, place)
            place = _skip_space(text, _skip_space(text, place) + 1)
        value, end = DECODER.raw_decode(text, place)
        found.append(Child(key, start, place, end, value))
        place = _skip_space(text, end)
    return found, place


def find_member(text: str, at: int, key: str) -> Child | None:
    """Return an object's member by name, None if there is none.

    Raises:
        InvalidArgument: there are two.
    """
    found = [child for child in children(text, at)[0] if child.key == key]
    if len(found) > 1:
        raise InvalidArgument(f"names {key} twice")
    return found[0] if found else None


def append_child(text: str, at: int, value: Any, key: str | None = None) -> str:
    """Return `text` with one more child at the end of the object or array at `at`.

    Its layout follows that of the previous child, or else of the whole text.
    """
    held, closing = children(text, at)
    feed = line_feed(text)
    if held:
        lead = space_before(text, held[-1].start)
        added = f",{lead}{format_value(value, key, lead, feed, text)}"
        return text[: held[-1].end] + added + text[held[-1].end :]
    line = text.rfind("\n", 0, at) + 1
    margin = WHITESPACE.match(text, line)
    outer = margin.group() if margin and margin.end() <= at else ""
    if "\n" not in text.strip() and len(text.strip()) > len("{}"):
        return text[: at + 1] + format_value(value, key, "", feed, text) + text[closing:]
    lead = feed + outer + indent_unit(text)
    inner = lead + format_value(value, key, lead, feed, text) + feed + outer
    return text[: at + 1] + inner + text[closing:]


def remove_child(text: str, at: int, index: int) -> str:
    """Return `text` without one child of the object or array at `at`."""
    held, closing = children(text, at)
    if len(held) == 1:
        return text[: at + 1] + text[closing:]
    if index:
        return text[: held[index - 1].end] + text[held[index].end :]
    return text[: held[0].start] + text[held[1].start :]


def format_value(value: Any, key: str | None, lead: str, feed: str, text: str) -> str:
    """Return a value as JSON: on several lines if `lead` has a line feed, else on one."""
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
    """Return the indentation of the first indented line, two spaces by default."""
    first = re.search(r"\n([ \t]+)\S", text)
    return first[1] if first else "  "


def line_feed(text: str) -> str:
    """Return the line ending of a text."""
    return "\r\n" if "\r\n" in text else "\n"


def space_before(text: str, at: int) -> str:
    """Return the whitespace before an offset."""
    start = at
    while start and text[start - 1] in " \t\n\r":
        start -= 1
    return text[start:at]


def _skip_space(text: str, at: int) -> int:
    """Return the first offset at or after `at` that is not whitespace."""
    found = WHITESPACE.match(text, at)
    return found.end() if found else at


TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
TRAILING_COMMA = re.compile(r'"(?:\\.|[^"\\\n])*"|,(?=\s*[}\]])')
NON_SPACE = re.compile(r"\S")


def strip_comments(text: str, *, comments: bool = True) -> str:
    """Return JSON of the same length in which comments and trailing commas are spaces.

    If `comments` is False, they remain, so that they are refused as invalid JSON.

    Raises:
        InvalidArgument: it is not JSON, or not an object.
    """
    bare = " " + text[1:] if text.startswith(BOM) else text
    if comments:
        bare = TOKEN.sub(lambda found: _blank(found, "/"), bare)
        bare = TRAILING_COMMA.sub(lambda found: _blank(found, ","), bare)
    if not isinstance(parse_json(bare), dict):
        raise InvalidArgument("must be a JSON object")
    return bare


def set_path(text: str, bare: str, path: tuple[str, ...], value: Any) -> str:
    """Return `text` with `value` at `path`; everything else is unchanged.

    Args:
        text: the file's text.
        bare: the same without comments, see `strip_comments`.
        path: keys from the outermost object; missing objects are added.
        value: the new value.

    Raises:
        InvalidArgument: a value on the path is not an object, or a key occurs twice.
    """
    at = root_offset(bare)
    for index, key in enumerate(path):
        found = find_member(bare, at, key)
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


def remove_path(text: str, bare: str, path: tuple[str, ...]) -> str:
    """Return `text` without the member at `path`, which exists; comments around it remain."""
    at = root_offset(bare)
    for key in path[:-1]:
        held = find_member(bare, at, key)
        assert held is not None  # noqa: S101 - the path exists
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
    own = format_value(value, None, lead, line_feed(text), text)
    return text[: found.at] + own + text[found.end :]


def _with_member(text: str, bare: str, at: int, key: str, value: Any) -> str:
    """Return `text` with one more member at the end of an object, after its comments."""
    held, closing = children(bare, at)
    line = _indent_of(text, at)
    inside = text[at + 1 : closing]
    end = closing - (len(inside) - len(inside.rstrip()))
    lead = space_before(text, held[-1].start) if held else ""
    on_one_line = "\n" not in text.strip() and len(text.strip()) > len("{}")
    if "\n" not in lead and not (held and "\n" not in inside) and not on_one_line:
        lead = line_feed(text) + line + indent_unit(text)
    own = format_value(value, key, lead, line_feed(text), text)
    last = held[-1].end if held else end
    comma = held and _comma_between(text, last, closing) is None
    closes = "\n" in lead and not held and "\n" not in text[end:closing]
    tail = line_feed(text) + line if closes else ""
    return text[:last] + ("," if comma else "") + text[last:end] + lead + own + tail + text[end:]


def _comma_between(text: str, start: int, end: int) -> int | None:
    """Return the offset of a comma between two offsets, ignoring comments; None without one."""
    bare = TOKEN.sub(lambda found: _blank(found, "/"), text[start:end])
    place = bare.find(",")
    return None if place < 0 else start + place


def _blank(found: re.Match[str], first: str) -> str:
    token = found[0]
    return NON_SPACE.sub(" ", token) if token.startswith(first) else token


def _indent_of(text: str, at: int) -> str:
    """Return the indentation of the line that contains `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix(BOM)
    return line[: len(line) - len(line.lstrip(" \t"))]
