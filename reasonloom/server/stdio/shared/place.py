"""Where a shared server is listening, the locks that keep it single, and which ones run.

A server holds `.lock` for its life, and writes its process and home into it. Whoever starts one
holds `.start` meanwhile. Both are locks of the system, so that they end with their holder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from socket import AF_UNIX, SOCK_STREAM
from socket import socket as Socket  # noqa: N812 - a field has its name

from reasonloom.errors import DatabaseUnavailable
from reasonloom.settings import Settings, environment, found_keys, load_settings, variables_of
from reasonloom.stores.embedded.place import private_folder

PREFIX = "shared-"
GREETING = b"reasonloom\n"
"""What a server sends first. It then counts the client, and does not stop as idle."""

START_SECONDS, STOP_SECONDS, PAUSE = 60.0, 15.0, 0.02


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """The socket and the locks of one shared server."""

    socket: Path

    @classmethod
    def of(cls, flags: Sequence[str]) -> SharedPlace:
        """Return the place for these flags of `serve`, in this environment.

        Hosts share a server only where all settings and keys are the same.
        """
        given = environment()
        names = {name for field in Settings.model_fields for name in variables_of(field)}
        held = {name: given[name] for name in sorted(names | set(found_keys())) if name in given}
        known = json.dumps([str(load_settings().home), list(flags), held])
        key = hashlib.sha256(known.encode()).hexdigest()[:16]
        return cls(private_folder() / f"{PREFIX}{key}.socket")

    def connect(self) -> Socket | None:
        """Return a connection that the server has greeted, None if no server takes it."""
        connection = Socket(AF_UNIX, SOCK_STREAM)
        connection.settimeout(START_SECONDS)
        try:
            connection.connect(str(self.socket))
            greeting = b""
            while len(greeting) < len(GREETING):
                part = connection.recv(len(GREETING) - len(greeting))
                if not part:
                    raise ConnectionError
                greeting += part
        except OSError:
            connection.close()
            return None
        connection.settimeout(None)
        return connection

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Hold the lock of whoever starts a server.

        Raises:
            DatabaseUnavailable: somebody has been starting one for too long.
        """
        lock = _open(self.socket.with_suffix(".start"))
        try:
            if not _held(lock, START_SECONDS):
                raise DatabaseUnavailable(
                    "another process has been starting the shared server for a minute; "
                    "run `reasonloom doctor`"
                )
            yield
        finally:
            os.close(lock)

    @contextmanager
    def serving(self, home: Path) -> Iterator[bool]:
        """Hold the lock of the server; yield False where another one serves already."""
        lock = _open(self.socket.with_suffix(".lock"))
        try:
            until = time.monotonic() + STOP_SECONDS
            while not (mine := _held(lock, 0)) and time.monotonic() < until:
                if connection := self.connect():
                    connection.close()
                    break
                time.sleep(PAUSE)
            if mine:
                os.truncate(lock, 0)
                os.write(lock, json.dumps({"pid": os.getpid(), "home": str(home)}).encode())
            yield mine
        finally:
            os.close(lock)


@dataclass(frozen=True, slots=True)
class SharedServer:
    """A running shared server."""

    place: SharedPlace
    pid: int
    home: Path

    def stop(self) -> bool:
        """Stop it; return whether it has ended in time."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        until = time.monotonic() + STOP_SECONDS
        while (alive := _note(self.place.socket.with_suffix(".lock"))) and alive.get(
            "pid"
        ) == self.pid:
            if time.monotonic() > until:
                return False
            time.sleep(PAUSE)
        return True


def shared_servers() -> list[SharedServer]:
    """Return the running shared servers of this user of the system, whatever their home."""
    found: list[SharedServer] = []
    for lock in sorted(private_folder().glob(f"{PREFIX}*.lock")):
        note = _note(lock)
        if note is not None and isinstance(note.get("pid"), int):
            place = SharedPlace(lock.with_suffix(".socket"))
            found.append(SharedServer(place, note["pid"], Path(str(note.get("home")))))  # type: ignore[arg-type]
    return found


def _note(path: Path) -> Mapping[str, object] | None:
    """Return what the holder of a lock wrote into it, None if nobody holds it."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        with suppress(ValueError):
            note = json.loads(os.pread(lock, 10_000, 0) or b"null")
            return note if isinstance(note, dict) else None
        return None
    finally:
        os.close(lock)
    return None


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _held(lock: int, seconds: float) -> bool:
    """Take a lock within `seconds`; return whether it was taken."""
    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(PAUSE)
        else:
            return True
