"""The embedded server comes back after every kind of death, and never twice."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.embedded import postmaster as postmaster_module
from reasonloom.stores.embedded import server as server_module
from reasonloom.stores.embedded.postmaster import Address, Answer, ask, inhabitants
from reasonloom.stores.embedded.server import EmbeddedServer
from tests.stores.embedded.test_embedded import (
    ENSURE,
    alone,
    in_process,
    lives,
    postmasters,
    query,
    servers,
)

__all__ = ["alone"]

BECOME_SUBREAPER = 36  # Linux: orphans below this process become its children


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with servers() as make:
        one = make("postgres")
        query(one, "CREATE TABLE kept (id serial)")
        yield one


def pid_of(server: EmbeddedServer) -> int:
    server.ensure()
    pid = server.status().pid
    assert pid is not None
    return pid


def kill(server: EmbeddedServer) -> int:
    """Kill the postmaster hard and wait for its children to follow; return its pid."""
    pid = pid_of(server)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not inhabitants(server.folder))
    return pid


def wait_for(condition: Callable[[], bool], seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def comes_back(server: EmbeddedServer, old: int) -> None:
    """Check that a new server runs, alone, with the rows of all before it."""
    before = int(query(server, "SELECT count(*) FROM kept"))
    query(server, "INSERT INTO kept DEFAULT VALUES")
    assert int(query(server, "SELECT count(*) FROM kept")) == before + 1
    assert pid_of(server) != old
    assert not lives(old)
    assert postmasters(server) == [pid_of(server)]


def test_killed_server_is_started_again_with_its_rows(server: EmbeddedServer) -> None:
    query(server, "INSERT INTO kept DEFAULT VALUES")
    rows = query(server, "SELECT count(*) FROM kept")
    os.kill(old := pid_of(server), signal.SIGKILL)
    assert query(server, "SELECT count(*) FROM kept") == rows
    comes_back(server, old)


@pytest.mark.parametrize("content", ["", "\n", "{pid}\n{folder}\n17", "no number\n" * 8, "{pid}"])
def test_damaged_pid_file_of_a_dead_server_does_not_matter(
    server: EmbeddedServer, content: str
) -> None:
    old = kill(server)
    note = server.folder / "postmaster.pid"
    note.write_text(content.format(pid=old, folder=server.folder))
    comes_back(server, old)


def test_pid_that_another_program_got_is_not_taken_for_the_server(server: EmbeddedServer) -> None:
    old = kill(server)
    user = server.folder.stat().st_uid if os.geteuid() == 0 else None
    with subprocess.Popen(["sleep", "60"], user=user) as stranger:
        for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            path = server.folder / name
            _, rest = path.read_text().split("\n", 1)
            path.write_text(f"{stranger.pid}\n{rest}")
        assert not server.status().running
        comes_back(server, old)
        assert stranger.poll() is None
        stranger.kill()


@contextmanager
def adopting_orphans() -> Iterator[None]:
    libc = ctypes.CDLL(None)
    libc.prctl(BECOME_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(BECOME_SUBREAPER, 0, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")
def test_zombie_is_not_taken_for_the_server(server: EmbeddedServer) -> None:
    server.stop()
    with adopting_orphans():
        os.kill(old := pid_of(server), signal.SIGKILL)
        wait_for(lambda: psutil.Process(old).status() == psutil.STATUS_ZOMBIE)
        assert not server.status().running
        comes_back(server, old)
        assert psutil.Process(old).status() == psutil.STATUS_ZOMBIE
        server.stop()
        for child in psutil.Process().children():
            if child.name() == "postgres":  # adopted here; no other test waits for it
                os.waitpid(child.pid, 0)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("")])
def test_living_server_without_its_pid_file_is_ended_in_order_before_another_starts(
    server: EmbeddedServer, damage: Callable[[Path], object]
) -> None:
    old = pid_of(server)
    damage(server.folder / "postmaster.pid")
    seen: set[tuple[int, ...]] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            seen.add(tuple(postmasters(server)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    server.ensure()
    done.set()
    watcher.join()
    # A child just forked looks like its postmaster, so only the two together would be wrong.
    assert not [pids for pids in seen if old in pids and pid_of(server) in pids]
    assert "received fast shutdown request" in (server.folder / "log").read_text()[-2500:]
    comes_back(server, old)


def test_busy_orphans_of_a_dead_server_must_go_before_another_starts(
    server: EmbeddedServer,
) -> None:
    old = pid_of(server)
    connection = psycopg.connect(server.ensure().dsn("postgres", "postgres"))
    orphan = connection.info.backend_pid
    connection.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 100000000000)")
    time.sleep(0.2)
    os.kill(old, signal.SIGKILL)
    time.sleep(0.2)
    assert lives(orphan), "the query must outlive its postmaster, or this proves nothing"
    (server.folder / "postmaster.pid").unlink()
    server.ensure()
    assert not lives(orphan)
    connection.close()
    comes_back(server, old)


def test_long_recovery_is_waited_for_even_if_its_starters_are_killed(
    server: EmbeddedServer,
) -> None:
    server.stop()
    (server.folder / "recovery.signal").touch()
    slow = ENSURE.replace("}", ', "restore_command": "sleep 1; false", "hot_standby": "off"}')
    starter = in_process(slow, server)
    address = Address(server.folder, 5432)
    wait_for(lambda: ask(address) is Answer.BUSY)
    [child] = psutil.Process(starter.pid).children()
    starter.kill()
    child.kill()
    starter.communicate()
    assert ask(address) is Answer.BUSY
    pid = server.status().pid
    assert server.ensure() == address
    assert ask(address) is Answer.READY
    assert postmasters(server) == [pid]


def test_server_that_hangs_is_reported_and_left_alone(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postmaster_module, "CONNECT_SECONDS", 1)
    monkeypatch.setattr(server_module, "SILENT_SECONDS", 0.1)
    pid = pid_of(server)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(DatabaseUnavailable, match="reasonloom doctor"):
            server.ensure()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert pid_of(server) == pid
    assert query(server, "SELECT count(*) > 0 FROM kept") == "True"
