"""Looks at what was typed before any command does: text, or the name of a file that is there."""

from __future__ import annotations

import os
from collections.abc import Sequence

from reasonloom.errors import InvalidArgument

HOOK = "hook"
"""A command that ends with 0 whatever it is given."""


def require_text(given: Sequence[str]) -> None:
    """See that every argument is text, unless it names a file: their names may be any bytes.

    Raises:
        InvalidArgument: one is no UTF-8, which reaches us as lone surrogates.
    """
    if list(given[:1]) == [HOOK]:
        return
    for place, each in enumerate(given, start=1):
        if not _is_text(each) and not os.path.lexists(each):
            raise InvalidArgument(
                f"argument {place}: must be text in UTF-8, or name a file that is there"
            )


def _is_text(given: str) -> bool:
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return True
