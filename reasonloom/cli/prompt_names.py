"""Reads prompts with their versions as they are named on the command line: `tree/propose=v2`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reasonloom.errors import InvalidArgument

PROMPT = re.compile(r"(?P<name>[^=\s]+)=v?(?P<version>[0-9]{1,6})")
PERHAPS = re.compile(r"(?P<name>[^=\s]+)(?:=v?(?P<version>[0-9]{1,6}))?")


def versions_given(given: Sequence[str]) -> list[tuple[str, int]]:
    """Return names and versions.

    Raises:
        InvalidArgument: one is not of the form.
    """
    found = []
    for text in given:
        match = PROMPT.fullmatch(text)
        if not match:
            raise InvalidArgument(
                "--prompt: must be NAME=VERSION, such as linear/continue=2", field="--prompt"
            )
        found.append((match["name"], int(match["version"])))
    return found


def prompt_given(text: str) -> tuple[str, int | None]:
    """Return a name, and its version where one is named.

    Raises:
        InvalidArgument: it is not of the form.
    """
    match = PERHAPS.fullmatch(text)
    if not match:
        raise InvalidArgument(
            "prompt: must be NAME or NAME=VERSION, such as tree/propose=v2", field="prompt"
        )
    return match["name"], int(match["version"]) if match["version"] else None
