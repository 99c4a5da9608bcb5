"""The folder of memory files: checks paths into it and opens its files."""

import os
import stat
from contextlib import suppress
from io import BufferedReader
from pathlib import Path, PurePath
from typing import Literal

from reasonloom.errors import InvalidArgument

ENDINGS = (".jsonl", ".amem")
MOST_BYTES = 256 * 1024 * 1024
MOST_NAMED = 5
FOLDER = "the folder of memory files (REASONLOOM_FILES)"
OPENING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)

UnreadReason = Literal["missing", "unreadable"]


class FileProblem(Exception):
    """A memory file that cannot be read; `reason` names no path outside the folder."""

    def __init__(self, state: UnreadReason, reason: str) -> None:
        super().__init__(reason)
        self.state: UnreadReason = state
        self.reason = reason


def path_within(folder: Path, path: str) -> str:
    """Return a path in its stored form: relative to `folder`, with `/` separators.

    Raises:
        InvalidArgument: it is outside the folder, or has another suffix.
    """
    given = PurePath(path)
    if ".." in given.parts:
        raise _refused(f"`..` is not allowed; name a file within {FOLDER}")
    if given.suffix.lower() not in ENDINGS:
        raise _refused("must end in .jsonl or .amem, as `reasonloom memory export` writes it")
    relative = _relative(folder, given) if given.is_absolute() else given
    if relative is None:
        raise _refused(f"is outside {FOLDER}; copy the file there and give its name")
    return relative.as_posix()


def _relative(folder: Path, given: PurePath) -> PurePath | None:
    """Return an absolute path relative to the folder; None if it is outside."""
    for inner, outer in ((given, folder), (_resolved(Path(given)), _resolved(folder))):
        if inner is not None and outer is not None:
            with suppress(ValueError):
                return inner.relative_to(outer)
    return None


def _resolved(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return None


def open_file(folder: Path, relative: str) -> BufferedReader:
    """Open a regular file of the folder; links are resolved first and must stay inside it.

    Raises:
        FileProblem: it is missing, not a regular file, too large, or cannot be opened.
    """
    target = _target(folder, relative)
    try:
        if not stat.S_ISREG(target.lstat().st_mode):
            raise FileProblem("unreadable", "is not a regular file")
        handle = os.open(target, OPENING)
    except FileNotFoundError:
        raise FileProblem("missing", "the file no longer exists") from None
    except OSError as error:
        raise FileProblem("unreadable", f"cannot be opened: {error.strerror}") from None
    source = os.fdopen(handle, "rb")
    status = os.fstat(source.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size <= MOST_BYTES:
        return source
    source.close()
    size, most = status.st_size / 1e6, MOST_BYTES / 1e6
    raise FileProblem(
        "unreadable",
        f"is too large: {size:,.0f} MB of at most {most:,.0f}; split it, or export it "
        "without --with-embeddings",
    )


def _target(folder: Path, relative: str) -> Path:
    try:
        base = folder.resolve()
        target = (base / relative).resolve(strict=True)
    except (FileNotFoundError, NotADirectoryError):
        raise FileProblem("missing", f"no such file in {FOLDER}") from None
    except RuntimeError:
        raise FileProblem("unreadable", "is a circular link") from None
    except OSError as error:
        raise FileProblem("unreadable", f"cannot be opened: {error.strerror}") from None
    if not target.is_relative_to(base):
        raise FileProblem("unreadable", f"is a link to a place outside {FOLDER}")
    return target


def example_files(folder: Path) -> list[str]:
    """Return the names of a few memory files directly in the folder, sorted."""
    try:
        names = sorted(each.name for each in folder.iterdir() if each.suffix.lower() in ENDINGS)
    except OSError:
        return []
    return names[:MOST_NAMED]


def _refused(fault: str) -> InvalidArgument:
    return InvalidArgument(f"path: {fault}", field="path")
