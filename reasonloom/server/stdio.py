"""Serves over stdin and stdout; every line that asks for an answer gets one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError

from reasonloom.server.app import build_server
from reasonloom.server.room import EngineRoom
from reasonloom.server.wire import Refusal, mend

if TYPE_CHECKING:
    from reasonloom.settings import Settings


class Lines:
    """The lines of stdin that are messages; the others are answered on the way."""

    def __init__(self) -> None:
        self._replies: Any = None
        self._ready = anyio.Event()
        self._source = anyio.wrap_file(_take_stdin())

    def answer_on(self, stream: Any) -> None:
        """Name the stream that refusals go out on."""
        self._replies = stream
        self._ready.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        async for raw in self._source:
            if not raw.strip():
                continue
            mended = mend(raw)
            if isinstance(mended, bytes):
                yield mended.decode(errors="replace")
            else:
                await self._refuse(mended)

    async def _refuse(self, refusal: Refusal) -> None:
        await self._ready.wait()
        error = ErrorData(code=refusal.code, message=refusal.message)
        for identifier in refusal.ids:
            reply = JSONRPCError(jsonrpc="2.0", id=identifier, error=error)
            await self._replies.send(SessionMessage(reply))


def _take_stdin() -> Any:
    """Return stdin under a descriptor of its own, so that no child process reads from it."""
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    # A worker thread may still wait on this descriptor at the end: it is never closed.
    return os.fdopen(private, "rb", closefd=False)


async def serve_stdio(settings: Settings) -> None:
    """Serve one client until it closes stdin or the process is asked to end."""
    async with EngineRoom(settings) as room, anyio.create_task_group() as tasks:
        server = build_server(room)
        tasks.start_soon(_end_on_signal, tasks.cancel_scope)
        lines = Lines()
        stdin = cast("anyio.AsyncFile[str]", lines)
        async with stdio_server(stdin=stdin) as (incoming, outgoing):
            lines.answer_on(outgoing)
            low = server._lowlevel_server  # noqa: SLF001 - the SDK's stdio runner offers no seam
            await low.run(incoming, outgoing, low.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _end_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return
