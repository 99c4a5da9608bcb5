"""Hosts that share a server: one process, whoever starts first, dies or leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reasonloom.server.stdio.shared.place import SharedPlace
from tests.support.clients.fork_server import program
from tests.support.clients.shared import SharingHosts
from tests.support.databases.postgres import TestPostgres

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
PATIENCE = 60.0


@pytest.fixture
def hosts(postgres: TestPostgres, database: str, tmp_path: Path) -> Iterator[SharingHosts]:
    found = SharingHosts(tmp_path / "home", postgres.address.dsn("postgres", database))
    yield found
    for server in found.servers():
        server.stop()


def until(found: Callable[[], object]) -> None:
    """Wait until something is true."""
    begun = time.monotonic()
    while not found():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.002)


def test_hosts_that_start_at_once_have_one_server(hosts: SharingHosts) -> None:
    started = [hosts.start() for _ in range(5)]
    connected = [host.begin() for host in started]
    assert len(hosts.servers()) == 1
    for number, host in enumerate(connected):
        assert not host.call("remember", content=f"Host {number} was here.")["isError"]
    texts = [host.call("recall", query="Who was here?")["content"][0]["text"] for host in connected]
    assert all(f"Host {number}" in text for text in texts for number in range(5))
    assert [host.end() for host in connected] == [0] * 5
    assert len(hosts.servers()) == 1


def test_a_server_without_hosts_ends_and_one_is_started_again(hosts: SharingHosts) -> None:
    hosts.more = {"REASONLOOM_IDLE_STOP": "1"}
    host = hosts.start().begin()
    (first,) = hosts.servers()
    time.sleep(2.0)
    assert hosts.servers() == [first], "it ended under a host that was connected"
    assert host.end() == 0
    until(lambda: not hosts.servers())
    assert not first.place.socket.exists()
    again = hosts.start().begin()
    assert hosts.servers()[0].pid != first.pid
    assert again.end() == 0


def test_hosts_with_other_settings_have_another_server(hosts: SharingHosts) -> None:
    one, other = hosts.start().begin(), hosts.start("--as", "causantic").begin()
    third = hosts.start(REASONLOOM_MAX_RESPONSE_TOKENS="500").begin()
    assert len({server.pid for server in hosts.servers()}) == 3
    names = {tool["name"] for tool in other.ask("tools/list")["result"]["tools"]}
    assert "recall" in names
    assert "remember" not in names
    assert [host.end() for host in (one, other, third)] == [0] * 3


def test_a_host_learns_that_the_server_was_killed_and_the_next_one_starts_another(
    hosts: SharingHosts,
) -> None:
    host = hosts.start().begin()
    (server,) = hosts.servers()
    os.kill(server.pid, signal.SIGKILL)
    assert host.process.wait(PATIENCE) == 1
    assert server.place.socket.exists(), "what a killed server leaves"
    started = [hosts.start() for _ in range(3)]
    assert all(each.begin().call("recall", query="x") for each in started)
    assert len(hosts.servers()) == 1
    assert [each.end() for each in started] == [0] * 3


@pytest.mark.kills
@pytest.mark.parametrize("point", ["start lock taken", "server lock taken", "socket bound"])
def test_a_starter_that_is_killed_leaves_no_second_server(hosts: SharingHosts, point: str) -> None:
    before = set(_locks())
    first = hosts.start()
    reached = {
        "start lock taken": lambda: set(_locks(".start")) - before,
        "server lock taken": hosts.servers,
        "socket bound": lambda: any(each.place.socket.exists() for each in hosts.servers()),
    }[point]
    until(reached)
    first.process.kill()
    others = [hosts.start() for _ in range(3)]
    for each in others:
        each.begin()
    assert len(hosts.servers()) == 1
    assert [each.end() for each in others] == [0] * 3
    first.process.communicate()


@pytest.mark.kills
@pytest.mark.parametrize("point", ["server lock taken", "socket bound"])
def test_a_server_that_is_killed_as_it_starts_is_replaced(hosts: SharingHosts, point: str) -> None:
    first, second = hosts.start(), hosts.start()
    until(hosts.servers)
    if point == "socket bound":
        until(hosts.servers()[0].place.socket.exists)
    os.kill(hosts.servers()[0].pid, signal.SIGKILL)
    third = hosts.start().begin()
    assert len(hosts.servers()) == 1
    assert third.end() == 0
    for each in (first, second):  # told why, or served by the replacement
        each.process.communicate()
        assert each.process.returncode in (0, 1)


def test_calls_that_are_pending_are_answered_at_the_end_and_on_a_signal(
    hosts: SharingHosts,
) -> None:
    host, other = hosts.start().begin(), hosts.start().begin()
    host.call("recall", query="warm")
    message = {"name": "remember", "arguments": {"content": "The last words."}}
    host.send({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": message})
    assert host.process.stdin
    host.process.stdin.close()
    assert host.receive()["id"] == 77
    assert host.process.wait(PATIENCE) == 0
    os.kill(hosts.servers()[0].pid, signal.SIGTERM)
    assert other.process.wait(PATIENCE) == 1
    until(lambda: not hosts.servers())


def test_a_setting_that_cannot_be_used_is_told_and_no_server_stays(hosts: SharingHosts) -> None:
    host = hosts.start(REASONLOOM_EMBEDDER="nonsense")
    _, complained = host.process.communicate(timeout=PATIENCE)
    assert host.process.returncode != 0
    assert b"REASONLOOM_EMBEDDER" in complained
    assert b"Traceback" not in complained
    assert hosts.servers() == []


def test_other_commands_know_the_server(hosts: SharingHosts) -> None:
    host = hosts.start().begin()
    (server,) = hosts.servers()

    def run(*words: str) -> str:
        done = subprocess.run([*program(), *words], env=hosts.environment, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)  # fmt: skip
        return done.stdout

    assert f"process {server.pid}" in run("doctor")
    listed = map(json.loads, run("db", "stop", "--all", "--dry-run", "--json").splitlines())
    ours = {"folder": str(hosts.home), "pid": server.pid, "shared": True, "stopped": False}
    assert ours in listed
    assert server.stop()
    assert host.process.wait(PATIENCE) == 1


def _locks(suffix: str = ".start") -> list[str]:
    folder = SharedPlace.of([]).socket.parent
    return [str(path) for path in folder.glob(f"shared-*{suffix}")]
