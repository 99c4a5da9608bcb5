"""An idle embedded server stops by itself, never under a client, and starts again when needed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from reasonloom.errors import SettingMistake
from reasonloom.settings import load_settings
from reasonloom.stores.embedded import watchdog
from reasonloom.stores.embedded.place import is_watched
from reasonloom.stores.embedded.postmaster import inhabitants
from reasonloom.stores.embedded.server import EmbeddedServer, running_servers
from tests.stores.embedded.test_embedded import alone, in_process, postmasters, query, servers
from tests.stores.embedded.test_failures import kill, pid_of, wait_for

__all__ = ["alone"]

IDLE = 0.4
ENSURE = """
import sys
from pathlib import Path
from reasonloom.stores.embedded.server import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]), {"fsync": "off"}, idle_stop=float(sys.argv[2]))
server.ensure()
print(server.status().pid)
"""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with servers() as make:
        one = make("postgres")
        query(one, "CREATE TABLE kept (id serial)")
        one.stop()
        yield one.folder


@pytest.fixture
def server(folder: Path) -> Iterator[EmbeddedServer]:
    """A server that stops when idle; it does not run, and has no watchdog."""
    one = EmbeddedServer(folder, {"fsync": "off"}, idle_stop=IDLE)
    yield one
    one.stop()
    wait_for(lambda: not is_watched(folder))


def watchdogs(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            ended = process.status() == psutil.STATUS_ZOMBIE
        except psutil.Error:
            continue
        if watchdog.__file__ in words and str(folder) in words and not ended:
            found.append(process)
    return found


def last_log(server: EmbeddedServer) -> str:
    """Return what the server wrote to its log since it accepts connections."""
    return (server.folder / "log").read_text().rpartition("ready to accept connections")[2]


def test_it_stops_when_idle_with_its_watchdog_and_comes_back(server: EmbeddedServer) -> None:
    query(server, "INSERT INTO kept DEFAULT VALUES")
    old = pid_of(server)
    wait_for(lambda: not inhabitants(server.folder))
    wait_for(lambda: not watchdogs(server.folder))
    assert "received fast shutdown request" in last_log(server)
    assert int(query(server, "SELECT count(*) FROM kept")) >= 1
    assert pid_of(server) != old


def test_it_does_not_stop_while_a_client_is_connected_or_new_ones_come(
    server: EmbeddedServer,
) -> None:
    pid = pid_of(server)
    with psycopg.connect(server.ensure().dsn("postgres", "postgres"), autocommit=True) as client:
        client.execute(f"SELECT pg_sleep({IDLE * 3})".encode())
        assert client.execute("SELECT 1").fetchone() == (1,)
    for _ in range(8):
        client = psycopg.connect(server.ensure().dsn("postgres", "postgres"), autocommit=True)
        client.execute(f"SELECT pg_sleep({IDLE / 4})".encode())
        client.close()
    assert pid_of(server) == pid


def test_without_a_limit_it_gets_no_watchdog(server: EmbeddedServer) -> None:
    EmbeddedServer(server.folder, {"fsync": "off"}).ensure()
    assert not is_watched(server.folder)


def test_starters_at_once_share_one_watchdog(server: EmbeddedServer) -> None:
    racers = [in_process(ENSURE.replace("sys.argv[2]", "'60'"), server) for _ in range(3)]
    answers = {racer.communicate(timeout=60) for racer in racers}
    assert answers == {(f"{server.status().pid}\n", "")}
    assert is_watched(server.folder)
    # A second one gives up within seconds, once it finds that the first does not end.
    wait_for(lambda: len(watchdogs(server.folder)) == 1, watchdog.PREDECESSOR_SECONDS + 5)


def test_a_killed_watchdog_is_replaced_by_the_next_client(server: EmbeddedServer) -> None:
    pid = pid_of(server)
    wait_for(lambda: is_watched(server.folder))
    for process in watchdogs(server.folder):
        process.kill()
    wait_for(lambda: not is_watched(server.folder))
    assert pid_of(server) == pid
    wait_for(lambda: not inhabitants(server.folder))


def test_the_watchdog_ends_with_a_killed_server_and_the_next_has_its_own(
    server: EmbeddedServer,
) -> None:
    old = kill(server)
    assert pid_of(server) != old
    wait_for(lambda: [str(pid_of(server)) in each.cmdline() for each in
                      watchdogs(server.folder)] == [True])  # fmt: skip
    wait_for(lambda: not inhabitants(server.folder))


def test_a_start_during_the_stop_waits_for_it(server: EmbeddedServer) -> None:
    old = pid_of(server)
    [checkpointer] = [
        each for each in psutil.Process(old).children() if "checkpointer" in each.cmdline()[0]
    ]
    checkpointer.suspend()  # without it the server cannot shut down
    wait_for(lambda: "received fast shutdown request" in last_log(server))
    starter = in_process(ENSURE.replace("sys.argv[2]", "'60'"), server)
    with pytest.raises(subprocess.TimeoutExpired):
        starter.wait(1)
    checkpointer.resume()
    answer, errors = starter.communicate(timeout=60)
    assert (errors, postmasters(server)) == ("", [int(answer)])
    assert int(answer) != old


COME_AND_GO = """
import sys, time, random
import psycopg
from pathlib import Path
from reasonloom.stores.embedded.server import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]), {"fsync": "off"}, idle_stop=0.1)
seen = set()
for pause in random.Random(sys.argv[1]).choices((0.05, 0.1, 0.2, 0.3), k=12):
    with psycopg.connect(server.ensure().dsn("postgres", "postgres")) as client:
        client.execute("SELECT 1")
        seen.add(server.status().pid)
    time.sleep(pause)
print(len(seen) > 1)
"""


def test_clients_that_come_and_go_about_the_limit_always_find_a_server(
    server: EmbeddedServer,
) -> None:
    clients = [in_process(COME_AND_GO, server) for _ in range(2)]
    assert {client.communicate(timeout=60) for client in clients} == {("True\n", "")}


def test_a_watchdog_killed_during_the_stop_leaves_a_server_that_can_be_started(
    server: EmbeddedServer,
) -> None:
    old = pid_of(server)
    [process] = wait_for_watchdog(server.folder)
    wait_for(lambda: "received fast shutdown request" in last_log(server))
    process.kill()
    assert query(server, "SELECT 1") == "1"
    assert pid_of(server) != old
    assert len(postmasters(server)) == 1


def wait_for_watchdog(folder: Path) -> list[psutil.Process]:
    wait_for(lambda: is_watched(folder))
    return watchdogs(folder)


def test_running_servers_of_any_home_are_found(server: EmbeddedServer) -> None:
    server.ensure()
    assert server.folder in [each.folder for each in running_servers()]
    server.stop()
    assert server.folder not in [each.folder for each in running_servers()]


@pytest.mark.parametrize(
    ("given", "seconds"), [("600", 600), ("10m", 600), ("1.5h", 5400), ("0", 0), ("2 d", 172_800)]
)
def test_the_limit_is_seconds_or_a_duration(
    monkeypatch: pytest.MonkeyPatch, given: str, seconds: float
) -> None:
    monkeypatch.setenv("REASONLOOM_IDLE_STOP", given)
    assert load_settings().idle_stop == seconds


@pytest.mark.parametrize("given", ["soon", "-1", "10 minutes", "nan", "31d"])
def test_another_limit_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("REASONLOOM_IDLE_STOP", given)
    with pytest.raises(SettingMistake, match="REASONLOOM_IDLE_STOP"):
        load_settings()
