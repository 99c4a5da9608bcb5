"""Finds the transcript files under the given paths, which may be files or folders."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from reasonloom.nodes.history.ingestion.formats import Format
from reasonloom.nodes.history.ingestion.reports import FileReport, unreadable

TAKEN = {".jsonl"}
"""Suffixes of the files read from folders; others may hold anything, such as tool output."""

TEXTS = {".txt", ".md", ".text"}
"""Suffixes of the files read from folders when the format is text."""


@dataclass(slots=True)
class FoundFiles:
    """The files found, those that cannot be read, and counts of what was skipped.

    Attributes:
        files: display names and paths.
        refused: paths that cannot be read, with the reason.
        loops: links to folders that were already visited.
        special: entries that are neither file nor folder (pipes, sockets, devices).
        others: files with other suffixes.
        bytes: total size of `files`.
    """

    files: list[tuple[str, Path]] = field(default_factory=list)
    refused: list[FileReport] = field(default_factory=list)
    loops: int = 0
    special: int = 0
    others: int = 0
    bytes: int = 0


def find_files(paths: Iterable[str], form: Format | None = None) -> FoundFiles:
    """Return the files under `paths`; display names start with the path as given."""
    found = FoundFiles()
    taken = TEXTS if form == "text" else TAKEN
    for given in paths:
        path = Path(given)
        before = len(found.files)
        try:
            whole = path.stat()
        except OSError as error:
            found.refused.append(FileReport(given, unreadable(error)))
            continue
        if stat.S_ISDIR(whole.st_mode):
            _folder(found, given, path, taken, {(whole.st_dev, whole.st_ino)})
            if len(found.files) == before:
                kinds = ", ".join(sorted(f"*{each}" for each in taken))
                found.refused.append(FileReport(given, f"The folder has no transcript ({kinds})"))
        elif stat.S_ISREG(whole.st_mode):
            found.files.append((given, path))
            found.bytes += whole.st_size
        else:
            found.refused.append(FileReport(given, "It is no file"))
    return found


def _folder(
    found: FoundFiles, name: str, path: Path, taken: set[str], seen: set[tuple[int, int]]
) -> None:
    """Add the files of a folder, recursively; each folder is visited once."""
    waiting = [(name, path)]
    while waiting:
        name, path = waiting.pop()
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError as error:
            found.refused.append(FileReport(name, unreadable(error)))
            continue
        for entry in entries:
            below = str(Path(name) / entry.name)
            try:
                whole = entry.stat()
            except OSError as error:
                found.refused.append(FileReport(below, unreadable(error)))
                continue
            if stat.S_ISDIR(whole.st_mode):
                place = whole.st_dev, whole.st_ino
                found.loops += place in seen
                if place not in seen:
                    seen.add(place)
                    waiting.append((below, Path(entry.path)))
            elif not stat.S_ISREG(whole.st_mode):
                found.special += 1
            elif Path(entry.name).suffix.lower() in taken:
                found.files.append((below, Path(entry.path)))
                found.bytes += whole.st_size
            else:
                found.others += 1
