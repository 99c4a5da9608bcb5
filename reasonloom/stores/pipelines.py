"""Connections that send all statements pending at the same moment in one round trip.

The opening of a transaction is sent ahead of its first statement, and the commit of one with a
single batch right after it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, overload

import psycopg
from psycopg.abc import PQGen
from psycopg.sql import SQL, Composed
from psycopg.waiting import Ready, Wait

from reasonloom.stores.access import Access

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
Work = Coroutine[Any, Any, A]
Statement = Callable[[], Awaitable[object]]
Opening = Sequence[SQL | Composed]
FRESH = 30.0
"""Seconds after which an unused connection may be silently dead, such as dropped by a firewall."""

MOVING = "01R01"
"""The SQLSTATE of the notice that an owner is being moved; the detail is the owner."""


@dataclass(slots=True)
class _Batch:
    """The statements of one round trip, and its outcome."""

    statements: list[Statement]
    done: asyncio.Event = field(default_factory=asyncio.Event)
    error: BaseException | None = None


class _Pipeline(psycopg.AsyncPipeline):
    """A pipeline whose last message is its Sync.

    Psycopg's own may send a Flush after it, and then Postgres no longer ends an idle transaction:
    it starts the idle timer at a Sync and stops it at any other message.
    """

    def _exit_gen(self) -> PQGen[None]:
        try:
            self._enqueue_sync()
            yield from self._communicate_gen()
            while self.pgconn.flush():  # long data is sent in parts
                if (yield Wait.RW) & Ready.R:
                    self.pgconn.consume_input()
        finally:
            yield from self._fetch_gen(flush=False)


class PipelineConnection(psycopg.AsyncConnection[Any]):
    """A connection that has one transaction at a time."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._opening: Opening = ()
        self._once = self._over = False
        self._error: Exception | None = None
        self._batch: _Batch | None = None
        self._turn = asyncio.Lock()
        self._opened_at = time.monotonic()

    async def open_with(self, opening: Opening) -> None:
        """Send `opening` ahead of the next statements.

        Raises:
            psycopg.OperationalError: the connection is dead.
        """
        await notice_end(self)
        self._opening, self._once, self._over, self._error = opening, False, False, None
        before, self._opened_at = self._opened_at, time.monotonic()
        if self._opened_at - before > FRESH:
            await self.reach()

    def end_with_next(self) -> None:
        """Send a commit after the next statements."""
        self._once = True

    async def reach(self) -> None:
        """Open the transaction if no statement has, so that an unavailable server is noticed."""
        if self._opening:
            await self._send([])

    async def send(self, statement: Statement) -> None:
        """Execute a statement together with all that other tasks have pending."""
        if batch := self._batch:
            batch.statements.append(statement)
            await batch.done.wait()
            if batch.error:
                raise batch.error
            return
        batch = self._batch = _Batch([statement])
        try:
            await asyncio.sleep(0)  # let the other tasks add their statements
            async with self._turn:
                self._batch = None
                await self._send(batch.statements)
        except BaseException as error:
            batch.error = error
            raise
        finally:
            if self._batch is batch:
                self._batch = None
            batch.done.set()

    async def _send(self, statements: Sequence[Statement]) -> None:
        if self._error:  # the cause, rather than the aborted transaction
            raise copy(self._error)
        try:
            await self._execute(statements)
        except Exception as error:
            self._error = copy(error)  # without a traceback, which would reference this connection
            raise

    async def _execute(self, statements: Sequence[Statement]) -> None:
        if self._over:
            raise psycopg.ProgrammingError("the transaction was to read once, and is over")
        opening, self._opening = self._opening, ()
        if not (opening or self._once) and len(statements) == 1:
            await statements[0]()
            return
        self._pipeline = _Pipeline(self)  # which `pipeline` uses and then removes
        async with self.pipeline():
            for each in opening:
                await self._plainly(each)
            for statement in statements:
                await statement()
            if self._once and statements:
                self._over = True
                await self._plainly(SQL("COMMIT"))

    async def _plainly(self, statement: SQL | Composed) -> None:
        await psycopg.AsyncCursor(self).execute(statement, prepare=False)


async def notice_end(connection: psycopg.AsyncConnection[Any]) -> None:
    """Check, without a round trip, whether the server has closed a connection.

    Raises:
        psycopg.OperationalError: it has closed the connection.
    """
    for _ in range(2):  # its last message first, then the end of the stream
        connection.pgconn.consume_input()


class PipelineCursor(psycopg.AsyncCursor[Any]):
    """A cursor whose statements are sent together with those of other tasks."""

    async def execute(self, *given: Any, **options: Any) -> PipelineCursor:
        """Execute a query or command."""
        connection = self.connection
        assert isinstance(connection, PipelineConnection)  # noqa: S101 - it made the cursor
        await connection.send(partial(super().execute, *given, **options))
        return self


async def connect(
    access: Access, on_move: Callable[[str], None] | None = None
) -> PipelineConnection:
    """Return a new connection; close it if the caller is cancelled meanwhile.

    When cancelled directly, psycopg leaves the socket open until garbage collection. `on_move` is
    called with each owner of whose move the server gives notice.
    """
    prepared: dict[str, Any] = {"prepare_threshold": None} if access.pooler else {}
    connecting = asyncio.ensure_future(
        PipelineConnection.connect(access.calls, cursor_factory=PipelineCursor, **prepared)
    )
    try:
        connection = await asyncio.shield(connecting)
    except asyncio.CancelledError:
        connecting.add_done_callback(_close_unused)
        raise
    if on_move:
        connection.add_notice_handler(partial(_note_move, on_move))
    return connection


def _note_move(on_move: Callable[[str], None], notice: psycopg.errors.Diagnostic) -> None:
    if notice.sqlstate == MOVING and notice.message_detail:
        on_move(notice.message_detail)


def _close_unused(connecting: asyncio.Future[PipelineConnection]) -> None:
    if not connecting.cancelled() and connecting.exception() is None:
        connecting.result().pgconn.finish()


@overload
async def together(first: Work[A], second: Work[B], /) -> tuple[A, B]: ...
@overload
async def together(first: Work[A], second: Work[B], third: Work[C], /) -> tuple[A, B, C]: ...
@overload
async def together(
    first: Work[A], second: Work[B], third: Work[C], fourth: Work[D], /
) -> tuple[A, B, C, D]: ...
@overload
async def together(*works: Work[Any]) -> tuple[Any, ...]: ...
async def together(*works: Work[Any]) -> tuple[Any, ...]:
    """Run coroutines on one transaction concurrently, batching their statements; return results.

    An error is raised once all have ended, so that none continues after its transaction is over.
    """
    found = await asyncio.gather(*works, return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return tuple(found)
