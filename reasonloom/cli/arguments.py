"""Arguments that commands share, and checks of the arguments before any command runs."""

import os
import re
from collections.abc import Sequence
from typing import Annotated

import typer

from reasonloom.errors import InvalidArgument

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
User = Annotated[str | None, typer.Option(help="Whose memories. Default: the owner's.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the result without changing data.")]
InDatabase = Annotated[
    str | None,
    typer.Option("--database", metavar="NAME", help="Only this one of several databases."),
]
RUN_ID = "The run's id, or a prefix of it."

SURROGATE = re.compile("[\ud800-\udfff]")
PROMPT_VERSION = re.compile(r"(?P<name>[^=\s]+)=v?(?P<version>[0-9]{1,6})")
OPTIONAL_VERSION = re.compile(r"(?P<name>[^=\s]+)(?:=v?(?P<version>[0-9]{1,6}))?")
HOOK_COMMAND = "hook"
"""A command that exits with 0 whatever its arguments are."""


def require_text(given: Sequence[str]) -> None:
    """Require every argument to be text, or the name of an existing file, which may be any bytes.

    Raises:
        InvalidArgument: one is not UTF-8, which Python decodes to lone surrogates.
    """
    if list(given[:1]) == [HOOK_COMMAND]:
        return
    for place, each in enumerate(given, start=1):
        if SURROGATE.search(each) and not os.path.lexists(each):
            raise InvalidArgument(
                f"argument {place}: must be UTF-8 text, or the name of an existing file"
            )


def parse_versions(given: Sequence[str]) -> list[tuple[str, int]]:
    """Return the names and versions of prompts given as NAME=VERSION.

    Raises:
        InvalidArgument: one has another format.
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
    """Return a prompt's name, and its version if one is given.

    Raises:
        InvalidArgument: it has another format.
    """
    match = OPTIONAL_VERSION.fullmatch(text)
    if not match:
        raise InvalidArgument(
            "prompt: must be NAME or NAME=VERSION, such as tree/propose=v2", field="prompt"
        )
    return match["name"], int(match["version"]) if match["version"] else None
