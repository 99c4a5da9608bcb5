"""The process that stops an idle embedded Postgres; it starts with the server and ends with it.

    python -I -S watchdog.py FOLDER PID LIMIT PSQL SOCKETS PORT

It is run by its path, and imports only the standard library, so that it stays small. It holds the
lock of `.NAME.watchdog` next to the data folder for as long as it lives, so there is only one.

A server is idle once no client has been connected, and nobody has touched the starters' lock
`.NAME.lock`, for LIMIT seconds. It is stopped only under that lock. Whoever wants to use the
server touches the lock file while it shares the lock, so it never gets a server that is about
to be stopped.
"""

import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

CLIENTS = """SELECT count(*) FROM pg_stat_activity
WHERE backend_type IN ('client backend', 'walsender') AND pid <> pg_backend_pid()"""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 60.0
PREDECESSOR_SECONDS = 3.0
STOP_SECONDS = 60.0


@dataclass(frozen=True)
class Server:
    """The postmaster that is watched, and how to reach it."""

    folder: str
    pid: int
    psql: str
    sockets: str
    port: str
    ends_within: Callable[[float], bool]

    def clients(self) -> int | None:
        """Return the number of connected clients; None if the server does not say."""
        command = [
            self.psql, "-XAtw", "-h", self.sockets, "-p", self.port, "-U", "postgres",
            "-d", "postgres", "-c", CLIENTS,
        ]  # fmt: skip
        try:
            done = subprocess.run(  # noqa: S603 - the server's own program, no shell
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True,
                env={"LC_ALL": "C", "PGCONNECT_TIMEOUT": "5"},
            )  # fmt: skip
            return int(done.stdout)
        except (OSError, ValueError, subprocess.SubprocessError):
            return None

    def is_gone(self) -> bool:
        """Return whether the pid file names another process, or none."""
        try:
            with open(os.path.join(self.folder, "postmaster.pid")) as file:  # noqa: PTH118, PTH123
                return file.readline().strip() != str(self.pid)
        except OSError:
            return True


def main(arguments: Sequence[str]) -> None:
    """Leave the caller's session, and watch the server until it ends."""
    folder, pid, limit, psql, sockets, port = arguments
    if os.fork():
        os._exit(0)
    if own(sibling(folder, "watchdog")) is None:
        return
    with suppress(ProcessLookupError):
        server = Server(folder, int(pid), psql, sockets, port, exit_of(int(pid)))
        watch(server, float(limit))


def sibling(folder: str, suffix: str) -> str:
    """Return the hidden file next to the data folder with this suffix."""
    parent, name = os.path.split(folder)
    return os.path.join(parent, f".{name}.{suffix}")  # noqa: PTH118


def own(path: str) -> int | None:
    """Return the locked file that only one watchdog can have; None if another keeps it.

    The watchdog of the server's predecessor needs a moment to notice that it has ended.
    """
    until = time.monotonic() + PREDECESSOR_SECONDS
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    while time.monotonic() < until:
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        time.sleep(0.05)
    return None


def exit_of(pid: int) -> Callable[[float], bool]:
    """Return a function that waits for at most some seconds for the process to end.

    Raises:
        ProcessLookupError: it has ended.
    """
    if sys.platform == "linux":
        with suppress(PermissionError):
            descriptor = os.pidfd_open(pid)
            return lambda seconds: bool(select.select([descriptor], [], [], seconds)[0])

    def polled(seconds: float) -> bool:
        until = time.monotonic() + seconds
        while is_alive(pid):
            if time.monotonic() >= until:
                return False
            time.sleep(max(0.0, min(1.0, until - time.monotonic())))
        return True

    return polled


def is_alive(pid: int) -> bool:
    """Return whether a process has this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def watch(server: Server, limit: float) -> None:
    """Stop the server once it has been idle for `limit` seconds."""
    pause = min(max(limit / 4, SHORTEST_PAUSE), LONGEST_PAUSE)
    lock = sibling(server.folder, "lock")
    used, idle_since = 0, time.monotonic()
    while not server.ends_within(pause) and not server.is_gone():
        last, used = used, last_use(lock)
        if used != last or server.clients() != 0:
            idle_since = time.monotonic()
        elif time.monotonic() - idle_since >= limit and stop(server, lock, used):
            return


def last_use(lock: str) -> int:
    """Return when somebody last touched the starters' lock, in nanoseconds."""
    try:
        return os.stat(lock).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


def stop(server: Server, lock: str, used: int) -> bool:
    """Stop the server if it is still idle and nobody else holds the starters' lock."""
    try:
        file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if last_use(lock) != used or server.clients() != 0 or server.is_gone():
            return False
        os.kill(server.pid, signal.SIGINT)
        return server.ends_within(STOP_SECONDS)
    except BlockingIOError:
        return False
    finally:
        os.close(file)


if __name__ == "__main__":
    main(sys.argv[1:])
