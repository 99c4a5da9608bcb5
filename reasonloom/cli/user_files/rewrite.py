"""Rewrites a file of the user's whole or not at all, and only if nobody else changed it."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reasonloom.errors import Conflict, InvalidArgument

LARGEST = 1024 * 1024
"""Bytes of a file that is rewritten, unless more is said; nobody writes a larger one by hand."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was read; `path` is where it really lies, after all symbolic links."""

    path: Path
    data: bytes
    stat: os.stat_result

    @property
    def text(self) -> str:
        """The file as text.

        Raises:
            InvalidArgument: it is not UTF-8.
        """
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            raise InvalidArgument(f"{self.path.name}: not UTF-8", field="file") from None


def look(path: Path, largest: int = LARGEST) -> Found | None:
    """Return a file of at most `largest` bytes with what is in it; None where there is none.

    Raises:
        InvalidArgument: it is a folder or a device, too large, or may not be read.
    """
    try:
        real = path.resolve(strict=True)
        handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError, ValueError):
        raise InvalidArgument(f"{path.name}: cannot be read", field="file") from None
    seen = os.fstat(handle)
    if not stat.S_ISREG(seen.st_mode):
        os.close(handle)
        raise InvalidArgument(f"{path.name}: not a file", field="file")
    with os.fdopen(handle, "rb") as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise InvalidArgument(f"{path.name}: larger than {largest:,} bytes", field="file")
    return Found(real, data, seen)


def replace(found: Found, data: bytes) -> None:
    """Put `data` in the file's place in one step; its permissions and its owner stay.

    Raises:
        Conflict: it was changed since it was read; nothing is written.
        InvalidArgument: it may not be written.
    """
    require_writable(found)
    write(found.path, data, mode=stat.S_IMODE(found.stat.st_mode), since=found.stat)


def require_writable(found: Found) -> None:
    """Refuse a file that may not be put in its place.

    Raises:
        InvalidArgument: it, or its folder, may not be written.
    """
    name = found.path.name
    if not os.access(found.path, os.W_OK):
        raise InvalidArgument(f"{name}: may not be written", field="file")
    if not os.access(found.path.parent, os.W_OK | os.X_OK):
        raise InvalidArgument(f"{name}: its folder may not be written", field="file")


def write(
    path: Path, data: bytes, *, mode: int = 0o600, since: os.stat_result | None = None
) -> None:
    """Write a whole file in one step; where `since` is given, only over that very file.

    Raises:
        Conflict: it is not what it was; nothing is written.
        InvalidArgument: it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError:
        raise InvalidArgument(f"{path.name}: its folder may not be written", field="file") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        Path(name).chmod(mode)
        if since is not None:
            _give(name, since)
            if not _same(path, since):
                raise Conflict(f"{path.name}: was changed meanwhile; nothing is written")
        Path(name).replace(path)
    except OSError:
        raise InvalidArgument(f"{path.name}: cannot be written", field="file") from None
    finally:
        Path(name).unlink(missing_ok=True)


def _give(name: str, to: os.stat_result) -> None:
    """Give a file to the owner and group of another, as far as that is allowed."""
    with suppress(OSError):
        os.chown(name, to.st_uid, to.st_gid)


def _same(path: Path, since: os.stat_result) -> bool:
    now = path.stat()
    return (now.st_ino, now.st_size, now.st_mtime_ns) == (
        since.st_ino, since.st_size, since.st_mtime_ns,
    )  # fmt: skip
