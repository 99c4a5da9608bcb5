"""The block in a project's CLAUDE.md that tells of its history."""

from __future__ import annotations

from pathlib import Path

from reasonloom.cli.hooks.claude_md import marked, rewritten
from reasonloom.cli.user_files.rewrite import look, replace
from reasonloom.errors import InvalidArgument

NAME = "CLAUDE.md"
NOTHING = "Nothing is kept of past conversations of this project."


def rewrite(folder: Path, notes: str | None) -> str:
    """Put `notes` into the marked block of a project's CLAUDE.md; return what was done.

    Where nothing is known (`notes` is None) a block that is there is emptied, and none is made.

    Raises:
        InvalidArgument: the file or its marks are not as they must be; nothing is changed.
        Conflict: somebody changed it meanwhile; nothing is changed.
    """
    place = folder / NAME
    found = look(place)
    if found is None:
        return f"no {NAME} in the project's folder: nothing to do"
    text = found.text
    if notes is None and not marked(text):
        return "nothing is known of this project: no block was made"
    elsewhere = place.is_symlink() and not found.path.is_relative_to(folder.resolve())
    if elsewhere and not marked(text):
        said = f"{NAME}: a link out of the project's folder, to a file without our marks"
        raise InvalidArgument(f"{said}; nothing was changed", field="file")
    try:
        new = rewritten(text, notes or NOTHING)
    except InvalidArgument as error:
        raise InvalidArgument(f"{NAME}: {error.message}; nothing was changed") from None
    if new == text:
        return f"{NAME} was up to date"
    replace(found, new.encode())
    return f"{NAME} was rewritten" if marked(text) else f"a block was added to {NAME}"
