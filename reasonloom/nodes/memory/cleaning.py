"""Takes characters that nobody sees, and that can mislead, out of what is to be stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from reasonloom.contracts.base import Request
from reasonloom.contracts.validation import read
from reasonloom.text import hidden_characters

R = TypeVar("R", bound=Request)
STORED = ("content", "metadata")
"""The arguments whose texts are stored; ids and names stay as they are."""

clean = hidden_characters.clean
"""Returns a text without hidden characters, and how many were removed."""


def cleaned(request: R) -> tuple[R, list[str]]:
    """Return `request` with its content and metadata cleaned, and what to say of it.

    Raises:
        InvalidArgument: nothing visible is left of a text that must not be empty.
    """
    given = request.model_dump(by_alias=True, exclude_unset=True)
    stored = {key: _clean_all(value) for key, value in given.items() if key in STORED}
    removed = sum(count for _, count in stored.values())
    if not removed:
        return request, []
    wire = {**given, **{key: value for key, (value, _) in stored.items()}}
    note = f"{removed} hidden characters (direction controls or tags) were removed"
    return read(type(request), wire), [note]


def _clean_all(value: Any) -> tuple[Any, int]:
    """Return `value` with every text in it cleaned, and how many characters were removed."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        pairs = {key: _clean_all(item) for key, item in value.items()}
        return {key: item for key, (item, _) in pairs.items()}, sum(n for _, n in pairs.values())
    if isinstance(value, list):
        items = [_clean_all(item) for item in value]
        return [item for item, _ in items], sum(n for _, n in items)
    return value, 0
