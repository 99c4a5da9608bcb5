"""Serves over stdin and stdout; every request is answered."""

import logging
import os
import signal
import sys
from collections.abc import AsyncIterable, AsyncIterator, Callable
from functools import partial
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import (
    AFTER_CLIENT,
    AFTER_SIGNAL,
    EngineLifespan,
    exit_within,
)
from reasonloom.server.json_rpc import SHUTDOWN_CODE, SHUTDOWN_MESSAGE, Refusal, repair
from reasonloom.server.loom_server import LoomServer
from reasonloom.server.stdio.pending_requests import (
    Incoming,
    Outgoing,
    PendingRequests,
    is_reader_gone,
)
from reasonloom.server.stdio.stdin_lines import StdinLines
from reasonloom.settings import Settings

log = logging.getLogger(__name__)
FLUSH_SECONDS = 0.2
"""Seconds to flush the last messages: the SDK's writer does not signal when it is done."""

DRAIN_SECONDS = AFTER_CLIENT - 3.0
"""Seconds for pending calls after stdin has ended; the rest of `AFTER_CLIENT` is for cleanup."""


class MessageLines:
    """The valid message lines of a client; invalid ones are answered immediately.

    `ended` is called when the client has closed its side, or reads no more.
    """

    def __init__(self, source: AsyncIterable[bytes | Refusal], ended: Callable[[], None]) -> None:
        self._replies: Any = None
        self._ready = anyio.Event()
        self._source, self.ended = source, ended

    def answer_on(self, stream: Any) -> None:
        """Set the stream for refusals."""
        self._replies = stream
        self._ready.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        async for raw in self._source:
            if isinstance(raw, bytes) and not raw.strip():
                continue
            mended = repair(raw) if isinstance(raw, bytes) else raw
            if isinstance(mended, bytes):
                yield mended.decode()
            else:
                await self.refuse(mended)
        self.ended()

    async def refuse(self, refusal: Refusal) -> None:
        """Answer requests that the SDK does not, or no longer, handle."""
        await self._ready.wait()
        error = ErrorData(code=refusal.code, message=refusal.message)
        for identifier in refusal.ids:
            reply = JSONRPCError(jsonrpc="2.0", id=identifier, error=error)
            await self._replies.send(SessionMessage(reply))


def _take_stdin() -> int:
    """Return stdin as a private descriptor, so that no child process reads from it."""
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    # Never closed: the reading thread may still block on this descriptor at exit.
    return private


async def serve_stdio(settings: Settings) -> None:
    """Serve one client until it closes stdin or the process receives a termination signal.

    Raises:
        SettingMistake: the settings name a tool or toolset that does not exist.
    """
    async with EngineLifespan(settings) as lifespan:
        server = build_server(lifespan)
        stdin = StdinLines(_take_stdin())
        lines, pending = MessageLines(stdin, partial(exit_within, AFTER_CLIENT)), PendingRequests()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_on_signal, tasks.cancel_scope, lifespan.leave, lines, pending)
            is_gone = partial(is_reader_gone, os.dup(sys.stdout.fileno()))  # the SDK redirects it
            await run_session(server, lifespan.leave, lines, pending, is_gone)
            tasks.cancel_scope.cancel()


async def run_session(
    server: LoomServer,
    at_end: Callable[[], None],
    lines: MessageLines,
    pending: PendingRequests,
    is_gone: Callable[[], bool],
    stdout: Any = None,
) -> None:
    """Serve a client until it closes its side or stops reading.

    Args:
        server: the server.
        at_end: called before calls that are still pending after the client's end are cancelled.
        lines: the client's messages.
        pending: the requests that are not answered yet.
        is_gone: tells whether the client reads no more.
        stdout: where to write, with `write` and `flush` as coroutines; None for stdout.
    """
    stdin = cast("anyio.AsyncFile[str]", lines)
    try:
        async with stdio_server(stdin=stdin, stdout=stdout) as (incoming, outgoing):
            lines.answer_on(outgoing)
            low = server._lowlevel_server
            await low.run(
                Incoming(incoming, pending, partial(_drain, pending, is_gone, at_end)),
                Outgoing(outgoing, pending),
                low.create_initialization_options(),
            )
    except* (BrokenPipeError, ConnectionResetError):
        lines.ended()
        log.info("the client reads no more: its session ends")


async def _drain(
    pending: PendingRequests, is_gone: Callable[[], bool], at_end: Callable[[], None]
) -> None:
    await pending.settled(DRAIN_SECONDS, is_gone)
    at_end()


async def _end_on_signal(
    scope: anyio.CancelScope,
    at_end: Callable[[], None],
    lines: MessageLines,
    pending: PendingRequests,
) -> None:
    """On a signal, answer pending calls with an error and shut down."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            exit_within(AFTER_SIGNAL)
            at_end()
            with anyio.move_on_after(AFTER_SIGNAL / 2):
                await lines.refuse(Refusal(SHUTDOWN_CODE, SHUTDOWN_MESSAGE, tuple(pending.take())))
                await anyio.sleep(FLUSH_SECONDS)
            scope.cancel()
            return
