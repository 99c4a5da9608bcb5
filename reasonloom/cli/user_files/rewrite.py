"""Rewrites a user's file atomically, only if nobody else changed it, with a backup."""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from reasonloom.errors import Conflict, InvalidArgument, ReasonloomError

MAX_SIZE = 1024 * 1024
"""Default limit in bytes of a file to rewrite; nobody writes a larger one by hand."""


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """A file as it was read; all symbolic links in `path` are resolved."""

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


def read_file(path: Path, largest: int = MAX_SIZE) -> FileSnapshot | None:
    """Read a file of at most `largest` bytes; None if there is none.

    Raises:
        InvalidArgument: it is a folder or a device, too large, or not readable.
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
    return FileSnapshot(real, data, seen)


def replace_file(found: FileSnapshot, data: bytes) -> None:
    """Replace the file's contents atomically, preserving its permissions and owner.

    Raises:
        Conflict: it was changed since it was read; nothing is written.
        InvalidArgument: it is not writable.
    """
    require_writable(found)
    write_file(found.path, data, mode=stat.S_IMODE(found.stat.st_mode), since=found.stat)


def require_writable(found: FileSnapshot) -> None:
    """Refuse a file that cannot be replaced.

    Raises:
        InvalidArgument: it, or its folder, is not writable.
    """
    name = found.path.name
    if not os.access(found.path, os.W_OK):
        raise InvalidArgument(f"{name}: is not writable", field="file")
    if not os.access(found.path.parent, os.W_OK | os.X_OK):
        raise InvalidArgument(f"{name}: its folder is not writable", field="file")


def write_file(
    path: Path, data: bytes, *, mode: int = 0o600, since: os.stat_result | None = None
) -> None:
    """Write a file atomically; with `since`, only if the file is unchanged since then.

    Raises:
        Conflict: it was changed; nothing is written.
        InvalidArgument: it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError:
        raise InvalidArgument(f"{path.name}: its folder is not writable", field="file") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        Path(name).chmod(mode)
        if since is not None:
            _copy_owner(name, since)
            if not _unchanged(path, since):
                raise Conflict(f"{path.name}: was changed meanwhile; nothing is written")
        Path(name).replace(path)
    except OSError:
        raise InvalidArgument(f"{path.name}: cannot be written", field="file") from None
    finally:
        Path(name).unlink(missing_ok=True)


def _copy_owner(name: str, to: os.stat_result) -> None:
    """Give a file the owner and group of another, as far as permitted."""
    with suppress(OSError):
        os.chown(name, to.st_uid, to.st_gid)


def _unchanged(path: Path, since: os.stat_result) -> bool:
    now = path.stat()
    return (now.st_ino, now.st_size, now.st_mtime_ns) == (
        since.st_ino, since.st_size, since.st_mtime_ns,
    )  # fmt: skip


BACKUP_SUFFIX = ".before-reasonloom"


def backup_path(path: Path) -> Path:
    """Return the path of a file's backup."""
    return path.with_name(path.name + BACKUP_SUFFIX)


def read_backup(path: Path, is_ours: Callable[[str], bool], largest: int = MAX_SIZE) -> str | None:
    """Return the text before our change; None if the backup has our part too, or is missing."""
    backup = backup_path(path)
    with errors_for(backup):
        kept = read_file(backup, largest)
        return kept.text if kept and not is_ours(kept.text) else None


def write_with_backup(path: Path, found: FileSnapshot | None, new: str, *, first: bool) -> str:
    """Write the file with our part in it; return a line on its backup.

    Args:
        path: the file as the user names it.
        found: the present file; None if it is new.
        new: the new text.
        first: the file contains nothing of ours yet, so a backup is made. Otherwise a backup would
            contain our part with its secrets, and an existing backup is left alone.

    Raises:
        Conflict: it was changed since it was read; nothing is written.
        InvalidArgument: the file or its folder is not writable; nothing is written.
    """
    with errors_for(path):
        if found is None:
            _create(path.resolve(), new)
            return ""
        require_writable(found)
        if not first:
            replace_file(found, new.encode())
            return ""
        kept = backup_path(found.path)
        write_file(kept, found.data, mode=stat.S_IMODE(found.stat.st_mode))
        try:
            replace_file(found, new.encode())
        except ReasonloomError:
            kept.unlink(missing_ok=True)
            raise
    return f"Backup of the file as it was: {kept}"


def write_restored(path: Path, found: FileSnapshot, new: str | None, before: str | None) -> str:
    """Write the file without our part; return a line on its backup.

    No backup is made, as it would contain our part. A backup that is no longer needed is removed.

    Args:
        path: the file as the user names it.
        found: the present file.
        new: the new text; None deletes the file.
        before: the text of the backup; None if that has our part too, or does not exist.

    Raises:
        Conflict: it was changed since it was read; nothing is written.
        InvalidArgument: the file or its folder is not writable; nothing is written.
    """
    kept = backup_path(found.path)
    with errors_for(path):
        require_writable(found)
        if new is None:
            found.path.unlink()
        else:
            replace_file(found, new.encode())
        if before is None or before == new:
            kept.unlink(missing_ok=True)
    return f"Backup of the file from before reasonloom: {kept}" if kept.exists() else ""


@contextmanager
def errors_for(path: Path) -> Iterator[None]:
    """Make errors name the full path, and state that nothing was written."""
    try:
        yield
    except InvalidArgument as error:
        message = error.message.removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
        message = f"{path}: {message}; nothing was written"
        raise InvalidArgument(message, field=error.field) from None


def _create(path: Path, new: str) -> None:
    """Create a file and its missing folders."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        backup_path(path).unlink(missing_ok=True)
    except OSError:
        raise InvalidArgument("its folder is not writable", field="file") from None
    write_file(path, new.encode())
