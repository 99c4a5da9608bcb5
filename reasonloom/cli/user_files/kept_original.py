"""Writes a file that people have of their own, and keeps beside it what it was before us."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reasonloom.cli.user_files.rewrite import Found, replace, require_writable, write
from reasonloom.errors import InvalidArgument, ReasonloomError

BACKUP = ".before-reasonloom"


def backup(path: Path) -> Path:
    """Return where what a file was before us is kept."""
    return path.with_name(path.name + BACKUP)


def put_in(path: Path, found: Found | None, new: str, *, first: bool) -> str:
    """Write the file with our part in it; return what to tell of its backup.

    Args:
        path: of the file, as a person names it.
        found: what it is; None where it is made.
        new: what it shall hold.
        first: it holds nothing of ours yet, so that it is what a backup has to keep. Else the
            one that is there stays, and none is made: it would hold our part with its secrets.

    Raises:
        Conflict: it was changed since it was read; nothing is written.
        InvalidArgument: it, or its folder, may not be written; nothing is.
    """
    with naming(path):
        if found is None:
            _make(path.resolve(), new)
            return ""
        require_writable(found)
        if not first:
            replace(found, new.encode())
            return ""
        kept = backup(found.path)
        write(kept, found.data, mode=stat.S_IMODE(found.stat.st_mode))
        try:
            replace(found, new.encode())
        except ReasonloomError:
            kept.unlink(missing_ok=True)
            raise
    return f"What it was before: {kept}"


def take_out(path: Path, found: Found, new: str | None, before: str | None) -> str:
    """Write the file without our part; return what to tell of its backup.

    No backup is made: it would hold our part. One that has nothing more to give back goes.

    Args:
        path: of the file, as a person names it.
        found: what it is.
        new: what it shall hold; None takes it away.
        before: what it was before us, as its backup has it; None where that holds our part too,
            or is not there.

    Raises:
        Conflict: it was changed since it was read; nothing is written.
        InvalidArgument: it, or its folder, may not be written; nothing is.
    """
    kept = backup(found.path)
    with naming(path):
        require_writable(found)
        if new is None:
            found.path.unlink()
        else:
            replace(found, new.encode())
        if before is None or before == new:
            kept.unlink(missing_ok=True)
    return f"What it was before reasonloom came: {kept}" if kept.exists() else ""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error name the whole file, and say that nothing was written."""
    try:
        yield
    except InvalidArgument as error:
        said = error.message.removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
        said = f"{path}: {said}; nothing was written"
        raise InvalidArgument(said, field=error.field) from None


def _make(path: Path, new: str) -> None:
    """Make a file, and the folders that are missing above it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        backup(path).unlink(missing_ok=True)
    except OSError:
        raise InvalidArgument("its folder may not be written", field="file") from None
    write(path, new.encode())
