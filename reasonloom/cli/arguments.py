"""Looks at what was typed before any command does: text, or the name of a file that is there."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from reasonloom.errors import InvalidArgument

HOOK_COMMAND = "hook"
"""A command that ends with 0 whatever it is given."""


def require_text(given: Sequence[str]) -> None:
    """See that every argument is text, unless it names a file: their names may be any bytes.

    Raises:
        InvalidArgument: one is no UTF-8, which reaches us as lone surrogates.
    """
    if list(given[:1]) == [HOOK_COMMAND]:
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


PROMPT_VERSION = re.compile(r"(?P<name>[^=\s]+)=v?(?P<version>[0-9]{1,6})")
OPTIONAL_VERSION = re.compile(r"(?P<name>[^=\s]+)(?:=v?(?P<version>[0-9]{1,6}))?")


def parse_versions(given: Sequence[str]) -> list[tuple[str, int]]:
    """Return names and versions.

    Raises:
        InvalidArgument: one is not of the form.
    """
    found = []
    for text in given:
        match = PROMPT_VERSION.fullmatch(text)
        if not match:
            raise InvalidArgument(
                "--prompt: must be NAME=VERSION, such as linear/continue=2", field="--prompt"
            )
        found.append((match["name"], int(match["version"])))
    return found


def parse_prompt(text: str) -> tuple[str, int | None]:
    """Return a name, and its version where one is named.

    Raises:
        InvalidArgument: it is not of the form.
    """
    match = OPTIONAL_VERSION.fullmatch(text)
    if not match:
        raise InvalidArgument(
            "prompt: must be NAME or NAME=VERSION, such as tree/propose=v2", field="prompt"
        )
    return match["name"], int(match["version"]) if match["version"] else None
