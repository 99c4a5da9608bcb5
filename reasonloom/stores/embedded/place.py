"""Location and ownership of the embedded database, its sockets and its lock.

Everything is checked before the bundled library sees the folder, since as root the library
silently changes owners and modes.
"""

import fcntl
import hashlib
import os
import pwd
import re
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reasonloom.errors import DatabaseUnavailable, SettingMistake

SYSTEM_USER = "pgserver"  # created by the library to run Postgres when it is root
FIELD = "REASONLOOM_HOME"
LONGEST_SOCKET_FOLDER = 93 if sys.platform == "linux" else 89
UNFIT_FOR_SOCKETS = re.compile(r"[^\w./ +=~-]")  # lists of hosts are split at , and :
OPEN_TO_ALL = 0o055
LOCK_SECONDS = 180.0


def prepare(folder: Path) -> None:
    """Create the parents of the data folder and check that a server may use it.

    Raises:
        SettingMistake: it is a file, cannot be created or written, is inside a private folder
            (as root), belongs to another OS user, or holds other files.
    """
    try:
        if is_root():
            refuse_private_parents(folder)
        make_parents(folder)
        refuse_foreign(folder)
    except OSError as error:
        raise mistake("cannot be made or written") from error


def mistake(fault: str) -> SettingMistake:
    """Return the error for a data folder that cannot be used."""
    return SettingMistake(
        f"The database's folder {fault}. Set {FIELD} to a folder of your own that can be "
        "written, or run `reasonloom doctor`.",
        field=FIELD,
    )


def is_root() -> bool:
    """Return whether this process is root, in which case Postgres runs as another user."""
    return os.geteuid() == 0


def refuse_private_parents(folder: Path) -> None:
    """Raise if the library, as root, would open a private parent folder to everyone."""
    for parent in folder.parents:
        if parent.is_dir() and OPEN_TO_ALL & ~parent.stat().st_mode:
            raise SettingMistake(
                "The database's folder is in a private one, which a server started by root "
                f"cannot enter. Set {FIELD} to a folder such as /var/lib/reasonloom.",
                field=FIELD,
            )


def make_parents(folder: Path) -> None:
    """Create the missing parents of `folder`, passable only if another user must pass."""
    missing = [parent for parent in folder.parents if not parent.exists()]
    for parent in reversed(missing):
        parent.mkdir(exist_ok=True)
        parent.chmod(0o755 if is_root() else 0o700)
    if not folder.parent.is_dir():
        raise mistake("is inside a file")
    if not os.access(folder.parent, os.W_OK | os.X_OK):
        raise mistake("is in one that cannot be written")


def refuse_foreign(folder: Path) -> None:
    """Raise if something other than our database is at `folder`."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise mistake("is a file")
    if folder.stat().st_uid not in owners():
        raise mistake("belongs to another user of this system")
    if any(folder.iterdir()) and not (folder / "PG_VERSION").exists():
        raise mistake("holds files that are not a database's")


def owners() -> set[int]:
    """Return the OS users whose data folder this process may run."""
    mine = {os.geteuid()}
    if is_root():
        mine |= {user.pw_uid for user in pwd.getpwall() if user.pw_name == SYSTEM_USER}
    return mine


def private_folder() -> Path:
    """Return this OS user's private folder, with a short path, in the temporary folder.

    Raises:
        DatabaseUnavailable: it cannot be created, or belongs to another user.
    """
    name = f"reasonloom-{os.geteuid()}"
    base = Path(tempfile.gettempdir()).resolve()
    if len(os.fsencode(base / name)) + 11 > LONGEST_SOCKET_FOLDER:
        base = Path("/tmp").resolve()  # noqa: S108 - owner and mode are checked below
    folder = base / name
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise PermissionError("it is not ours")
        folder.chmod(0o711 if is_root() else 0o700)
    except OSError as error:
        raise DatabaseUnavailable(
            "The folder for the database's sockets below the temporary folder cannot be used; "
            "set TMPDIR to a folder of your own, or run `reasonloom doctor`."
        ) from error
    return folder


def socket_folder(folder: Path) -> Path:
    """Return the socket folder for the server of `folder`: itself, if its path is suitable."""
    path = os.fsencode(folder)
    if len(path) <= LONGEST_SOCKET_FOLDER and not UNFIT_FOR_SOCKETS.search(str(folder)):
        return folder
    inner = private_folder() / hashlib.sha256(path).hexdigest()[:10]
    inner.mkdir(mode=0o700, exist_ok=True)
    return inner


@contextmanager
def only_one(folder: Path) -> Iterator[int]:
    """Hold the lock next to the data folder; yield its descriptor.

    A child that inherits the descriptor holds the lock while it lives, so that the lock
    outlasts a killed starter.
    """
    try:
        lock = open_lock(folder)
    except OSError as error:
        raise mistake("has a lock next to it that cannot be opened") from error
    try:
        wait_for(lock)
        yield lock
    finally:
        os.close(lock)


def open_lock(folder: Path, suffix: str = "lock", more: int = os.O_CREAT) -> int:
    """Return the descriptor of the lock file with this suffix next to the data folder."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | more
    return os.open(folder.with_name(f".{folder.name}.{suffix}"), flags, 0o600)


def mark_used(folder: Path) -> bool:
    """Mark the server as in use, so that the watchdog does not stop it as idle.

    Returns False if somebody is starting or stopping it, or nobody has ever started it.
    """
    try:
        lock = open_lock(folder, more=0)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.utime(lock)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def is_watched(folder: Path) -> bool:
    """Return whether a watchdog holds the lock that it keeps for its life."""
    try:
        lock = open_lock(folder, "watchdog", more=0)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def wait_for(lock: int) -> None:
    """Acquire `lock`, waiting as long as another process may legitimately hold it."""
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise DatabaseUnavailable(
                    "Another process has been starting the embedded database for minutes; "
                    "run `reasonloom doctor`."
                ) from None
            time.sleep(0.02)
        else:
            return
