"""Keeps a text as the next version of a prompt in the user's folder."""

from __future__ import annotations

from pathlib import Path

from reasonloom.errors import Conflict, InvalidArgument
from reasonloom.prompts.front_matter import next_version
from reasonloom.prompts.registry import PromptRegistry


def keep(folder: Path | None, name: str, text: str) -> tuple[Path, bool]:
    """Write a template as the next version; return its file, and whether it is new.

    Where the newest version in the folder has this text already, nothing is written.

    Raises:
        InvalidArgument: there is no such folder and none can be made.
        Conflict: somebody else has written that version meanwhile.
    """
    if folder is None:
        raise InvalidArgument("folder: must be named to write a prompt", field="folder")
    registry = PromptRegistry(folder if folder.is_dir() else None)
    newest = max(registry.versions(name))
    there = folder / f"{name}.v{newest}.md"
    if there.is_file() and registry.get(name, newest).text == next_version(text, newest):
        return there, False
    number = newest + 1
    path = folder / f"{name}.v{number}.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(next_version(text, number))
    except FileExistsError:
        raise Conflict(f"{name} v{number} is there already; try again") from None
    except OSError:
        raise InvalidArgument("folder: cannot be written", field="folder") from None
    return path, True
