"""The interface to the embedded Postgres: ensure that it runs, stop it, get its status.

The server is independent of the process that started it and runs until `stop`, or until its
watchdog finds it idle. Any process may call `ensure` at any time; one that finds the server
running only reads its pid file and connects.
"""

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from reasonloom.errors import DatabaseUnavailable, ServiceFault, SettingMistake
from reasonloom.stores.embedded import place
from reasonloom.stores.embedded.postmaster import (
    DEFAULT_PORT,
    PID_FILE,
    Address,
    Answer,
    ask,
    head_of,
    inhabitants,
    process_of,
    read_note,
    served_folders,
)

__all__ = ["Address", "EmbeddedServer", "Status", "running_servers"]

BOOT_SECONDS = 120.0
BUSY_SECONDS = 60.0  # for a server that recovers or shuts down
SILENT_SECONDS = 15.0  # for one that is alive but does not respond
GRACE_SECONDS = 3.0  # for one whose pid file is not (yet) right
LOCALE = "C.UTF-8" if sys.platform == "linux" else "C"  # available on every such system
WATCHDOG = Path(__file__).with_name("watchdog.py")
START_SECONDS = 10.0  # for the watchdog
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Status:
    """The status of an embedded server, determined without connecting to it.

    `version` is the data's Postgres major version, None before the first start.
    """

    running: bool
    pid: int | None
    version: str | None


@dataclass(frozen=True)
class EmbeddedServer:
    """The Postgres of one data folder.

    `settings` take effect at its next start. `idle_stop` is the time in seconds without a client
    after which its watchdog stops it; with 0 it gets none.
    """

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    idle_stop: float = 0.0

    def ensure(self) -> Address:
        """Return the server's address, starting the server if it is not running.

        Raises:
            SettingMistake: the folder or a setting cannot be used.
            DatabaseUnavailable: it could not be started, or does not respond.
        """
        folder = whole(self.folder)
        address = joined(folder)
        if not address:
            check_settings(self.settings)
            place.prepare(folder)
            with place.only_one(folder) as lock:
                address = settled(folder) or self._start(folder, lock)
                os.utime(lock)
        if self.idle_stop and not place.is_watched(folder):
            start_watchdog(folder, address, self.idle_stop)
        return address

    def stop(self) -> bool:
        """Stop the server, closing its connections; return whether it was running.

        Raises:
            DatabaseUnavailable: it belongs to another user, or does not stop.
        """
        folder = whole(self.folder)
        if not folder.is_dir() or not inhabitants(folder):
            return False
        with place.only_one(folder):
            residents, note = inhabitants(folder), read_note(folder)
            if residents:
                end(residents, folder)
                wait_until_empty(folder)
            if note and note.address.socket_dir != folder:
                with suppress(OSError):
                    note.address.socket_dir.rmdir()
            return bool(residents)

    def status(self) -> Status:
        """Return the server's status without changing anything."""
        folder = whole(self.folder)
        process = process_of(read_note(folder), folder)
        try:
            version = (folder / "PG_VERSION").read_text().strip() or None
        except OSError:
            version = None
        return Status(process is not None, process.pid if process else None, version)

    def _start(self, folder: Path, lock: int) -> Address:
        """Start the server of a folder without server processes; the caller holds the lock."""
        sockets = place.socket_folder(folder)
        clear_remains(folder, sockets)
        boot(folder, sockets, self.settings, lock)
        address = settled(folder)
        if address is None:
            log.error("the embedded database ended right after its start")
            raise unavailable("ended right after its start")
        return address


def running_servers() -> list[EmbeddedServer]:
    """Return every running embedded server that this process may stop, whatever its home."""
    return [EmbeddedServer(folder) for folder in served_folders()]


def whole(folder: Path) -> Path:
    """Return the canonical absolute path of a folder, the same in every process."""
    try:
        return folder.expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise place.mistake("has a path that leads nowhere") from error


def unavailable(fault: str) -> DatabaseUnavailable:
    """Return the error for an unavailable embedded server."""
    return DatabaseUnavailable(
        f"The embedded database {fault}; try again, and if it persists run `reasonloom doctor`."
    )


def check_settings(settings: Mapping[str, str]) -> None:
    """Reject a setting that cannot be written on one line of Postgres' settings file."""
    for name, value in settings.items():
        if not re.fullmatch(r"[a-z][a-z0-9_.]*", name) or not value.isprintable():
            raise SettingMistake("A setting of the embedded database is not of Postgres' form.")


def joined(folder: Path) -> Address | None:
    """Return the address of a server that is ready, after the cheapest possible check."""
    note = read_note(folder)
    usable = note and process_of(note, folder) and place.mark_used(folder)
    return note.address if note and usable and ask(note.address) is Answer.READY else None


def settled(folder: Path) -> Address | None:
    """Wait until the folder's server responds, or return None once there is none.

    A postmaster whose pid file is damaged or gone would abort within a minute; it is shut down
    cleanly instead. Processes that outlived their postmaster must end before another may start,
    else both would write to the same files.
    """
    begun = time.monotonic()
    end_requested = False
    while residents := inhabitants(folder):
        head, note = head_of(residents, folder), read_note(folder)
        noted = head and note and note.pid == head.pid and note.folder == folder
        answer = ask(note.address) if note and noted else None
        waited = time.monotonic() - begun
        if note and answer:
            if answer is Answer.READY:
                return note.address
            if waited > (BUSY_SECONDS if answer is Answer.BUSY else SILENT_SECONDS):
                raise unavailable("is still busy" if answer is Answer.BUSY else "does not answer")
        elif waited > GRACE_SECONDS and not end_requested:
            log.info("stopping a postgres whose pid file or postmaster is gone")
            end(residents, folder)
            end_requested = True
        elif waited > BUSY_SECONDS:
            raise unavailable("does not end")
        time.sleep(0.05)
    return served_from_elsewhere(folder)


def served_from_elsewhere(folder: Path) -> Address | None:
    """Return the address of a server whose processes are hidden in another container."""
    address = Address(place.socket_folder(folder), DEFAULT_PORT)
    return None if ask(address) is Answer.SILENT else address


def end(residents: Sequence[psutil.Process], folder: Path) -> None:
    """Signal a postmaster to shut down fast, or its orphans to exit at once."""
    head = head_of(residents, folder)
    try:
        if head:
            head.send_signal(signal.SIGINT)
            return
        for orphan in residents:
            orphan.send_signal(signal.SIGQUIT)
    except psutil.NoSuchProcess:
        return
    except psutil.AccessDenied as error:
        raise unavailable("belongs to another user of this system") from error


def wait_until_empty(folder: Path) -> None:
    """Wait until no process of the server is left."""
    until = time.monotonic() + BUSY_SECONDS
    while inhabitants(folder):
        if time.monotonic() > until:
            raise unavailable("does not end")
        time.sleep(0.02)


def clear_remains(folder: Path, sockets: Path) -> None:
    """Delete the remains of a dead server that would keep Postgres from starting.

    Only for a folder without server processes. An intact pid file of a dead process stays:
    Postgres replaces it itself, after checking the server's shared memory.
    """
    note = read_note(folder)
    try:
        if note is None or psutil.pid_exists(note.pid):
            (folder / PID_FILE).unlink(missing_ok=True)
        (sockets / f".s.PGSQL.{DEFAULT_PORT}.lock").unlink(missing_ok=True)
    except OSError as error:
        raise place.mistake("cannot be written") from error


def boot(folder: Path, sockets: Path, settings: Mapping[str, str], lock: int) -> None:
    """Start the server through the child process, in a controlled environment."""
    private = str(place.private_folder())
    environment = {
        "PATH": SYSTEM_PATH,
        "LC_ALL": LOCALE,
        "TZ": "UTC",
        "TMPDIR": private,
        "XDG_RUNTIME_DIR": private,
        "PYTHONPATH": ":".join(str(Path(entry).resolve()) for entry in sys.path if entry),
    }
    order = json.dumps({"sockets": str(sockets), "settings": dict(settings)})
    command = [sys.executable, "-P", "-m", "reasonloom.stores.embedded.boot", "start", str(folder)]
    try:
        done = subprocess.run(  # noqa: S603 - our own module, no shell
            command, input=order, capture_output=True, text=True, encoding="utf-8",
            errors="replace", cwd="/", env=environment, pass_fds=(lock,),
            start_new_session=True, timeout=BOOT_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        log.error("the embedded database could not be started: %s", error)  # noqa: TRY400
        raise unavailable("could not be started") from error
    read_answer(done)


def start_watchdog(folder: Path, address: Address, limit: float) -> None:
    """Start the process that stops the server after `limit` idle seconds.

    A server whose processes are in another container has its watchdog there.
    """
    process = process_of(read_note(folder), folder)
    if process is None:
        return
    try:
        psql = Path(process.cmdline()[0]).with_name("psql")
        subprocess.run(  # noqa: S603 - our own module, no shell
            [sys.executable, "-I", "-S", WATCHDOG, folder, str(process.pid), str(limit), psql,
             address.socket_dir, str(address.port)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd="/", env={"PATH": SYSTEM_PATH}, start_new_session=True, timeout=START_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, psutil.Error) as error:
        log.warning("the embedded database will not stop when idle: %s", error)


def read_answer(done: subprocess.CompletedProcess[str]) -> None:
    """Check the child's answer; log and raise its error if the start failed."""
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {"ok": False, "fault": "start", "detail": done.stdout}
    if answer["ok"]:
        if answer["opened"]:
            log.warning("gave Postgres' user access to: %s", ", ".join(answer["opened"]))
        return
    log.error("the embedded database did not start: %s %s", answer["detail"], done.stderr)
    raise fault_of(answer["fault"], answer["detail"])


def fault_of(kind: str, detail: str) -> ServiceFault | SettingMistake:
    """Return our error for a fault reported by the child."""
    if kind == "version":
        return place.mistake(f"was made by another major version of Postgres ({detail})")
    return unavailable("could not be started")
