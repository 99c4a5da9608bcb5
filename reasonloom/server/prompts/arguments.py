"""Parses prompt arguments: plain text, or JSON where a template requires structure.

MCP passes arguments as strings. One that a template only prints is never parsed, so that the
user's wording reaches the prompt unchanged.
"""

import json
from collections.abc import Set as AbstractSet
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from reasonloom.prompts.variables import Use


class _Written:
    """A value that prints as it was written, and otherwise behaves as itself."""

    _written = ""

    def __str__(self) -> str:
        return self._written


class _Whole(_Written, int):
    pass


class _Real(_Written, float):
    pass


class _Truth(_Written, int):
    pass


class _Nothing(_Written):
    def __bool__(self) -> bool:
        return False


class _List(_Written, list[Any]):
    pass


class _Object(_Written, dict[str, Any]):
    pass


for _kind, _name in (
    (_Whole, "number"), (_Real, "number"), (_Truth, "truth value"), (_Nothing, "null"),
    (_List, "list"), (_Object, "object"),
):  # fmt: skip
    # Jinja's errors name a value's class, and only builtin classes without a module prefix.
    _kind.__module__, _kind.__qualname__, _kind.__name__ = "builtins", _name, _name


def read_written(text: str) -> object:
    """Parse JSON into values that print as written; strings are unchanged.

    Raises:
        ValueError: the text is not JSON.
    """
    try:
        value = _printing(
            json.loads(text, parse_int=_whole, parse_float=_real, parse_constant=_refuse)
        )
    except RecursionError:
        raise ValueError(text) from None
    return _as(value, text) if isinstance(value, (_List, _Object)) else value


def _whole(digits: str) -> object:
    return _as(_Whole(digits), digits)


def _real(digits: str) -> object:
    return _as(_Real(digits), digits)


def _refuse(word: str) -> object:
    raise ValueError(word)


def _as(value: _Written, written: str) -> object:
    value._written = written
    return value


def _printing(value: object) -> object:
    if isinstance(value, list):
        items = [_printing(each) for each in value]
        return _as(_List(items), f"[{', '.join(map(_in_json, items))}]")
    if isinstance(value, dict):
        parts = {name: _printing(each) for name, each in value.items()}
        members = (f"{_in_json(name)}: {_in_json(part)}" for name, part in parts.items())
        return _as(_Object(parts), f"{{{', '.join(members)}}}")
    if isinstance(value, bool):
        return _as(_Truth(value), "true" if value else "false")
    return _as(_Nothing(), "null") if value is None else value


def _in_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


STRUCTURED = {Use.ITERATED, Use.ACCESSED}
NOT_STRUCTURED = "{name}: must be a list or an object, given as JSON"


def argument_description(uses: AbstractSet[Use]) -> str:
    """Return the description of an argument by how a template uses it."""
    if uses & STRUCTURED:
        return "A list, as JSON." if Use.ACCESSED not in uses else "An object, as JSON."
    if Use.COUNTED in uses:
        return "A number."
    if Use.PASSED_ON in uses:
        return "A text; a list or an object as JSON."
    return "true or false." if uses == {Use.TESTED} else "A text."


def read_argument(name: str, text: str, uses: AbstractSet[Use], *, required: bool) -> object:
    """Return the value of an argument for a template; a blank one is passed unparsed.

    Raises:
        MCPError: the template iterates or accesses it, and it is not a JSON list or object.
    """
    if not text.strip() and not (required and uses & STRUCTURED):
        return text
    value = _value(text)
    if uses & STRUCTURED:
        if not isinstance(value, (list, dict)):
            raise MCPError(code=INVALID_PARAMS, message=NOT_STRUCTURED.format(name=name))
        return value
    if Use.COUNTED in uses:
        return value if isinstance(value, (int, float)) else text
    if Use.PASSED_ON in uses:
        return value if isinstance(value, (list, dict)) else text
    return value if uses == {Use.TESTED} else text


def _value(text: str) -> object:
    """Return a text parsed as JSON, or the text itself if it is not JSON."""
    try:
        return read_written(text)
    except ValueError:
        return text
