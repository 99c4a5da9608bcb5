"""An address that cannot be taken is told in one line, before a log or a database is opened."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from reasonloom.errors import SettingMistake
from reasonloom.server.auth.token_file import append_entry, new_entry
from reasonloom.server.http.sockets import listening_sockets
from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment, free_port

TAKEN = "--http: {host}:{port} is in use: choose another port, or stop what listens there"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("name", ["serve", "studio"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_in_use_stops_the_start(tmp_path: Path, name: str, host: str, taken: int) -> None:
    done = start(tmp_path, name, f"{host}:{taken}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"reasonloom: {TAKEN.format(host=host, port=taken)}\n"
    assert not (tmp_path / "home").exists()


def test_an_address_of_another_machine_stops_the_start(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    append_entry(tokens, new_entry("anna", ("read",), None)[1])
    done = start(tmp_path, "serve", "192.0.2.1:8321", REASONLOOM_TOKENS=str(tokens))
    assert done.returncode == 2
    assert done.stderr == "reasonloom: --http: 192.0.2.1:8321 is not an address of this machine\n"


def test_a_name_stands_for_all_its_addresses_that_there_are() -> None:
    port = free_port()
    with listening_sockets("localhost", port) as sockets:
        assert ("127.0.0.1", port) in [each.getsockname()[:2] for each in sockets]
        with pytest.raises(SettingMistake, match="is in use"), listening_sockets("localhost", port):
            pass
    with listening_sockets("127.0.0.1", port):
        pass


def test_a_host_that_nobody_knows_is_refused() -> None:
    with (
        pytest.raises(SettingMistake, match=r"--http: the host no\.such\.invalid is unknown"),
        listening_sockets("no.such.invalid", 8321),
    ):
        pass


def start(folder: Path, name: str, address: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Start a server that is to end at once."""
    return subprocess.run(
        [*program(), name, "--http", address],
        env=environment(folder / "home", **more), cwd=folder, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


async def test_small_answers_are_sent_at_once() -> None:
    """Else each waits for the client's acknowledgement of the one before: 40 ms."""
    with listening_sockets("127.0.0.1", free_port()) as [listener]:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            ours = writer.get_extra_info("socket")
            found.set_result(ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(look, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            assert await asyncio.wait_for(found, 10)
            writer.close()
