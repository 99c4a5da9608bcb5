"""Reads JSON into values that a template prints as they were written: `1.10`, `{"a": null}`."""

from __future__ import annotations

import json
from typing import Any


class _Written:
    """What prints as it was written; in a template's hands it is the value that it stands for."""

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
    # Jinja names the class of a value in its errors, and only those of Python's own by one word.
    _kind.__module__, _kind.__qualname__, _kind.__name__ = "builtins", _name, _name


def read_written(text: str) -> object:
    """Return what a JSON text means: a text as it is, and all else so that it prints as written.

    Raises:
        ValueError: the text is no JSON.
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
        told = (f"{_in_json(name)}: {_in_json(part)}" for name, part in parts.items())
        return _as(_Object(parts), f"{{{', '.join(told)}}}")
    if isinstance(value, bool):
        return _as(_Truth(value), "true" if value else "false")
    return _as(_Nothing(), "null") if value is None else value


def _in_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
