"""Strips hidden characters, which can mislead a reader, from text before it is stored."""

from collections.abc import Mapping
from typing import Any, TypeVar

from reasonloom.contracts.base import Request
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.text.hidden_characters import remove_hidden

R = TypeVar("R", bound=Request)
STORED = ("content", "metadata")
"""Arguments whose texts are cleaned; ids and names are left unchanged."""

REMOVED = "{count} hidden characters (direction controls or tags) were removed"


def clean_request(request: R) -> tuple[R, list[str]]:
    """Return `request` with its content and metadata cleaned, and a note on the removals.

    Raises:
        InvalidArgument: a text that must not be empty has no visible characters left.
    """
    given = request.model_dump(by_alias=True, exclude_unset=True)
    stored = {key: clean_all(value) for key, value in given.items() if key in STORED}
    removed = sum(count for _, count in stored.values())
    if not removed:
        return request, []
    wire = {**given, **{key: value for key, (value, _) in stored.items()}}
    return parse_request(type(request), wire), [REMOVED.format(count=removed)]


def clean_all(value: Any) -> tuple[Any, int]:
    """Return `value` with every string in it cleaned, and the number of characters removed."""
    if isinstance(value, str):
        return remove_hidden(value)
    if isinstance(value, Mapping):
        pairs = [(remove_hidden(key), clean_all(item)) for key, item in value.items()]
        count = sum(of_key + of_item for (_, of_key), (_, of_item) in pairs)
        return {key: item for (key, _), (item, _) in pairs}, count
    if isinstance(value, list):
        items = [clean_all(item) for item in value]
        return [item for item, _ in items], sum(n for _, n in items)
    return value, 0


def clean_name(text: str, *, field: str) -> tuple[str, list[str]]:
    """Return a name cleaned and stripped for storage, and a note on the removals.

    Raises:
        InvalidArgument: the name has no visible characters left.
    """
    name, removed = remove_hidden(text)
    if not name.strip():
        raise InvalidArgument(f"{field}: must not be empty", field=field, kind="empty")
    return name.strip(), [f"{field}: {REMOVED.format(count=removed)}"] if removed else []
