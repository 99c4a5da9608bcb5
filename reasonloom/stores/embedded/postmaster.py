"""The server on a data folder: its processes, its pid file, and whether it responds.

Two servers on one data folder would corrupt it. So nothing here trusts a pid file alone:
processes are identified by their program and working folder.
"""

import enum
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

from reasonloom.stores.embedded.place import owners

PID_FILE = "postmaster.pid"
SETTINGS_FILE = "reasonloom.conf"  # written by `boot`
DEFAULT_PORT = 5432
CONNECT_SECONDS = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Address:
    """The address of a running server: its socket's folder and its port."""

    socket_dir: Path
    port: int

    @property
    def socket(self) -> Path:
        """The socket's file."""
        return self.socket_dir / f".s.PGSQL.{self.port}"

    def dsn(self, user: str, database: str) -> str:
        """Return a libpq URI; with the scheme `postgresql+psycopg` it works for SQLAlchemy too.

        Example: `postgresql://app@/mind?host=/var/lib/reasonloom/postgres&port=5432`
        """
        host = quote(str(self.socket_dir))
        name, base = quote(user, safe=""), quote(database, safe="")
        return f"postgresql://{name}@/{base}?host={host}&port={self.port}"


@dataclass(frozen=True)
class Note:
    """The content of a `postmaster.pid` file."""

    pid: int
    folder: Path
    address: Address


def read_note(folder: Path) -> Note | None:
    """Return the pid file's content; None if it is missing, empty, partial or unreadable."""
    try:
        lines = (folder / PID_FILE).read_text("utf-8", "surrogateescape").splitlines()
        sockets = Path(lines[4])
        note = Note(int(lines[0]), Path(lines[1]), Address(sockets, int(lines[3])))
    except (OSError, ValueError, IndexError):
        return None
    return note if lines[4] else None


def process_of(note: Note | None, folder: Path) -> psutil.Process | None:
    """Return the live postmaster that `note` names, if it belongs to `folder`."""
    try:
        process = psutil.Process(note.pid) if note else None
    except psutil.Error:
        return None
    return process if process and is_postmaster(process, folder) else None


def is_postgres(process: psutil.Process) -> bool:
    """Return whether `process` is a live `postgres`; a zombie is not live."""
    try:
        dead = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
        return process.name() == "postgres" and process.status() not in dead
    except psutil.Error:
        return False


def is_postmaster(process: psutil.Process, folder: Path) -> bool:
    """Return whether `process` is a live postgres whose command line names `folder` as its data."""
    try:
        words = process.cmdline()
        named = "-D" in words[:-1] and words[words.index("-D") + 1] == str(folder)
    except psutil.Error:
        return False
    return named and is_postgres(process)


def works_in(process: psutil.Process, folder: Path) -> bool:
    """Return whether `folder` is the working folder of `process`, as for all server processes."""
    try:
        return Path(process.cwd()) == folder
    except psutil.AccessDenied:
        return is_orphan(process)
    except psutil.Error:
        return False


def is_orphan(process: psutil.Process) -> bool:
    """Return whether `process` is one of ours that outlived its postmaster, in any folder.

    Root without permission to trace, as in most containers, cannot see a working folder.
    """
    try:
        parent = process.parent()
        child = process.cmdline()[:1] != [] and process.cmdline()[0].startswith("postgres:")
        ours = process.uids().real in owners()
    except psutil.Error:
        return False
    return child and ours and not (parent and is_postgres(parent))


def inhabitants(folder: Path) -> list[psutil.Process]:
    """Return every live postgres process of `folder`, including those whose postmaster is gone."""
    return [
        process
        for process in psutil.process_iter()
        if is_postgres(process) and (works_in(process, folder) or is_postmaster(process, folder))
    ]


def served_folders() -> list[Path]:
    """Return the data folders of all running embedded servers of the OS users that we may act for.

    Another program's Postgres has no settings file of ours.
    """
    found, ours = set(), owners()
    for process in filter(is_postgres, psutil.process_iter()):
        try:
            words = process.cmdline()
            folder = Path(words[words.index("-D") + 1])
            if process.uids().real in ours and (folder / SETTINGS_FILE).is_file():
                found.add(folder)
        except (psutil.Error, ValueError, IndexError, OSError):
            continue
    return sorted(found)


def head_of(processes: Sequence[psutil.Process], folder: Path) -> psutil.Process | None:
    """Return the postmaster among `processes`; a freshly forked child still looks like one."""
    pids = {process.pid for process in processes}
    for process in processes:
        try:
            if is_postmaster(process, folder) and process.ppid() not in pids:
                return process
        except psutil.Error:
            continue
    return None


class Answer(enum.Enum):
    """How a server responds to a connection."""

    READY = "ready"
    BUSY = "busy"  # starting up, recovering or shutting down
    SILENT = "silent"


def ask(address: Address) -> Answer:
    """Return how the server responds to `SELECT 1` as the superuser, within seconds."""
    if not address.socket.exists():
        return Answer.SILENT
    try:
        with psycopg.connect(
            address.dsn("postgres", "postgres"), connect_timeout=CONNECT_SECONDS, autocommit=True
        ) as connection:
            connection.execute("SELECT 1")
    except psycopg.Error as error:
        words = str(error)
        log.debug("the embedded database does not accept connections: %s", words)
        if "the database system is" in words:
            return Answer.BUSY
        crowded = "too many clients" in words or "connection slots" in words
        return Answer.READY if crowded else Answer.SILENT
    return Answer.READY
