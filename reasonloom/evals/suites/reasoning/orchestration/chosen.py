"""Reads what a caller chose of an eval: its settings, each with its limits."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from hashlib import sha256

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices, Item

SIZES = (32, 64, 128)
SIZE = 64


def require_known(choices: Choices, known: Sequence[str]) -> None:
    """Refuse a setting that an eval has not.

    Raises:
        UnknownName: there is one.
    """
    for name in choices.settings:
        if name not in known:
            raise UnknownName(
                f"there is no setting {name}; there are {', '.join(known)}", field=name
            )


def size_of(choices: Choices, found: Collection[int] = ()) -> int:
    """Return the size of the problems; `found` are the sizes in a file, which must be it alone.

    Raises:
        InvalidArgument: it is no published size, or the file has others.
    """
    given = choices.settings.get("size", str(SIZE))
    if given not in map(str, SIZES):
        raise InvalidArgument(f"size: must be one of {', '.join(map(str, SIZES))}", field="size")
    size = int(given)
    if found and set(found) != {size}:
        told = ", ".join(map(str, sorted(found)))
        raise InvalidArgument(f"size: is {size}, and the data has {told}", field="size")
    return size


def number(choices: Choices, name: str, default: float, *, most: float) -> float:
    """Return a setting that is a number from 0 to `most`.

    Raises:
        InvalidArgument: it is none.
    """
    try:
        given = float(choices.settings.get(name, default))
    except ValueError:
        given = math.nan
    if not 0 <= given <= most:
        raise InvalidArgument(f"{name}: must be a number from 0 to {most:g}", field=name)
    return given


def whole(choices: Choices, name: str, default: int, *, most: int) -> int:
    """Return a setting that is a whole number from 1 to `most`.

    Raises:
        InvalidArgument: it is none.
    """
    given = choices.settings.get(name, str(default))
    if not given.isdecimal() or not 1 <= int(given[:9]) <= most or len(given) > len(str(most)):
        raise InvalidArgument(f"{name}: must be a whole number from 1 to {most}", field=name)
    return int(given)


def one_of(choices: Choices, name: str, known: Sequence[str]) -> str:
    """Return a setting that is one of some words, the first where it is absent.

    Raises:
        InvalidArgument: it is none of them.
    """
    given = choices.settings.get(name, known[0])
    if given not in known:
        raise InvalidArgument(f"{name}: must be one of {', '.join(known)}", field=name)
    return given


def digest(items: Sequence[Item]) -> str:
    """Return the SHA-256 of items: names and problems in their order."""
    return sha256(json.dumps(items).encode()).hexdigest()
