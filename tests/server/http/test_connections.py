"""Who sends half a request holds nothing for long, and keeps nobody else out."""

from __future__ import annotations

import asyncio
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from reasonloom.server.http.connection_limits import Limits
from reasonloom.server.http.connections import bounded_protocol
from tests.support.clients.processes import web

SHORT = 0.4
"""Seconds for a head and for a body, in these tests."""

SLOW = 1.2
PIECE = 10_000
HELD, BLOCKED = 50_000, 1_000_000
"""Bytes of answers that more is left of than the system takes: the first is held without halting
who writes it."""

BUFFER = 4_096
"""Bytes that the system is asked to take, on either side."""

RATE, REST = 10_000, 4_000_000
CHUNKED = b"POST /late HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n"
FEW_FILES = 256
HALF_A_HEAD = b"POST /mcp HTTP/1.1\r\nhost: x\r\n"
WHOLE = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


async def plain(request: Request) -> Response:
    return PlainTextResponse("early")


async def slow(request: Request) -> Response:
    await asyncio.sleep(SLOW)
    return PlainTextResponse("late")


async def whole(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def long(request: Request) -> Response:
    """Answer with so many bytes, piece by piece or `at_once`."""
    size = int(request.query_params["size"])
    if "at_once" in request.query_params:
        return Response(b"x" * size)
    return StreamingResponse(b"x" * PIECE for _ in range(size // PIECE))


async def late_header(request: Request) -> Response:
    await request.body()
    return PlainTextResponse(str(request.headers.get("x-late")))


@contextmanager
def served(base: Any, most: int = 50, rate: float = RATE) -> Iterator[int]:
    """Serve an application of these answers within short limits; yield the port."""
    routes = [
        Route("/", plain, methods=["GET", "POST"]),
        Route("/slow", slow),
        Route("/long", long),
        Route("/whole", whole, methods=["POST"]),
        Route("/late", late_header, methods=["POST"]),
    ]
    http = bounded_protocol(
        Limits(most, head=SHORT, body=SHORT, body_rate=rate, rest_bytes=REST), base
    )
    config = uvicorn.Config(Starlette(routes=routes), http=http, log_config=None)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


@pytest.fixture(params=[HttpToolsProtocol, H11Protocol])
def base(request: pytest.FixtureRequest) -> Any:
    """Both protocols that uvicorn has; which one is used depends on what is installed."""
    return request.param


@pytest.fixture
def port(base: Any) -> Iterator[int]:
    with served(base) as listening:
        yield listening


@contextmanager
def connected(port: int, sent: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(sent)
        yield connection


def heard(connection: socket.socket) -> bytes:
    """Return all that is said until the other side closes."""
    said = b""
    with suppress(ConnectionResetError):
        while more := connection.recv(65_536):
            said += more
    return said


@pytest.mark.parametrize("sent", [b"", HALF_A_HEAD, WHOLE + HALF_A_HEAD])
def test_a_connection_without_a_whole_head_is_closed(port: int, sent: bytes) -> None:
    with connected(port, sent) as connection:
        begun = time.monotonic()
        said = heard(connection)
        assert SHORT / 2 < time.monotonic() - begun < 5
        assert said.count(b"HTTP/1.1 ") == sent.count(WHOLE)


@pytest.mark.parametrize(
    ("sent", "drop"), [(HALF_A_HEAD, b"a: b\r\n"), (WHOLE, b"\r\n"), (WHOLE, b"GET / HTTP/1.1\r\n")]
)
def test_drop_by_drop_gives_no_more_time(port: int, sent: bytes, drop: bytes) -> None:
    with connected(port, sent) as connection:
        begun = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() < begun + 10:
                connection.sendall(drop)
                time.sleep(SHORT / 5)
        assert time.monotonic() - begun < 5


def test_a_body_that_does_not_come_is_told_to_be_late(port: int) -> None:
    with connected(port, b"POST /whole HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf") as it:
        said = heard(it)
        assert said.startswith(b"HTTP/1.1 408 ")
        assert b"in time" in said


def test_an_answer_may_take_longer_than_its_question(port: int) -> None:
    url = f"http://127.0.0.1:{port}"
    with httpx.Client(trust_env=False) as client:
        for _ in range(2):
            assert client.get(f"{url}/slow").text == "late"
        assert client.post(f"{url}/whole", content=b"x" * 3_000_000).text == "3000000"


def test_a_big_body_that_is_answered_early_is_let_run_out(port: int) -> None:
    answer = httpx.post(f"http://127.0.0.1:{port}/", content=b"x" * 3_000_000, trust_env=False)
    assert answer.text == "early"


def test_a_head_has_its_greatest_length(port: int) -> None:
    with connected(port, HALF_A_HEAD + b"a: ") as connection:
        with suppress(OSError):
            for _ in range(100):
                connection.sendall(b"b" * 10_000)
                time.sleep(0.001)
        said = heard(connection)
    assert said == b"" or said.startswith(b"HTTP/1.1 400 ")


def test_the_one_that_waits_longest_makes_room(base: Any) -> None:
    with served(base, most=3) as port, ExitStack() as stack:
        held = [stack.enter_context(connected(port, HALF_A_HEAD)) for _ in range(3)]
        time.sleep(SHORT / 4)
        begun = time.monotonic()
        assert httpx.get(f"http://127.0.0.1:{port}/", trust_env=False).text == "early"
        assert heard(held[0]) == b""
        assert time.monotonic() - begun < SHORT / 2, "it was closed for the new one, not for time"


def test_where_all_are_at_work_the_new_one_is_closed(base: Any) -> None:
    asked = b"GET /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    with served(base, most=3) as port, ExitStack() as stack:
        working = [stack.enter_context(connected(port, asked)) for _ in range(3)]
        time.sleep(SLOW / 6)
        with connected(port) as beyond:
            begun = time.monotonic()
            assert heard(beyond) == b""
            assert time.monotonic() - begun < SHORT / 2
        assert all(heard(each).endswith(b"late") for each in working)


@contextmanager
def few_files() -> Iterator[None]:
    """Let what is started meanwhile open few files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_half_sent_requests_neither_shut_a_server_nor_fill_its_log(
    shared_env: dict[str, str], tmp_path: Path
) -> None:
    with ExitStack() as stack:
        with few_files():
            server = stack.enter_context(web(shared_env, tmp_path / "cwd"))
        health = server.url.replace("/mcp", "/healthz")
        for _ in range(FEW_FILES + 50):
            stack.enter_context(connected(server.port, HALF_A_HEAD))
        for _ in range(5):
            assert httpx.get(health, timeout=5, trust_env=False).status_code == 200
        for _ in range(3 * FEW_FILES):
            with connected(server.port, HALF_A_HEAD):
                pass
        assert httpx.get(health, timeout=5, trust_env=False).status_code == 200
        told = [line for line in server.log.splitlines() if "connections" in line]
        assert 1 <= len(told) <= 4, "each kind is told once a minute"
        assert "more than 128 at once" in told[0]
        assert "accept" not in server.log


def test_what_stands_behind_a_body_is_no_header() -> None:
    with (
        served(HttpToolsProtocol) as port,
        connected(port, CHUNKED + b"x-late: yes\r\nconnection: close\r\n\r\n") as connection,
    ):
        assert heard(connection).endswith(b"None")


def test_what_stands_behind_a_body_has_an_end(base: Any) -> None:
    with served(base) as port, connected(port, CHUNKED) as connection:
        sent = 0
        with pytest.raises(OSError, match=r"reset|Broken"):
            while sent < 100 * REST:
                sent += connection.send(b"x-n: " + b"y" * 1000 + b"\r\n")


def test_a_slow_body_has_the_time_that_its_length_earns(base: Any) -> None:
    body = b"x" * 12_000
    head = b"POST /whole HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 12000\r\n\r\n"
    with served(base) as port, connected(port, head) as connection:
        begun = time.monotonic()
        for start in range(0, len(body), 1_500):
            connection.sendall(body[start : start + 1_500])
            time.sleep(0.1)
        assert time.monotonic() - begun > SHORT
        assert heard(connection).endswith(b"12000")


@contextmanager
def asking(port: int, size: int, *, at_once: bool, close: bool) -> Iterator[socket.socket]:
    """Ask for a long answer on a connection whose ends take little of it."""
    how, last = "&at_once" * at_once, "connection: close\r\n" * close
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        connection.settimeout(10)
        connection.connect(("127.0.0.1", port))
        asked = f"GET /long?size={size}{how} HTTP/1.1\r\nhost: x\r\n{last}\r\n"
        connection.sendall(asked.encode())
        yield connection


@pytest.mark.parametrize("size", [HELD, BLOCKED])
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("close", [True, False])
def test_an_answer_that_is_not_read_is_let_go(
    base: Any, size: int, at_once: bool, close: bool
) -> None:
    with (
        served(base, rate=1e9) as port,
        asking(port, size, at_once=at_once, close=close) as connection,
    ):
        time.sleep(4 * SHORT)
        assert len(heard(connection)) < size


@pytest.mark.parametrize("size", [HELD, BLOCKED])
@pytest.mark.parametrize("at_once", [True, False])
def test_an_answer_that_is_read_slowly_comes_whole(base: Any, size: int, at_once: bool) -> None:
    with (
        served(base, rate=size / 8) as port,
        asking(port, size, at_once=at_once, close=True) as connection,
    ):
        begun, said = time.monotonic(), 0
        while more := connection.recv(size):
            said += len(more)
            time.sleep(SLOW * len(more) / size)
        assert said > size
        assert time.monotonic() - begun > SHORT
