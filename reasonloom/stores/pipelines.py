"""Connections that send all statements which wait at the same moment in one round trip.

What opens a transaction goes ahead of its first statement, and the end of one that reads only once
goes behind it.
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

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
Work = Coroutine[Any, Any, A]
Statement = Callable[[], Awaitable[object]]
Opening = Sequence[SQL | Composed]
FRESH = 30.0
"""Seconds; what is longer unused may be dead without a word, as where a firewall forgot it."""


@dataclass(slots=True)
class _Batch:
    """Statements of one round trip, and how it ended."""

    statements: list[Statement]
    done: asyncio.Event = field(default_factory=asyncio.Event)
    error: BaseException | None = None


class _Pipeline(psycopg.AsyncPipeline):
    """A pipeline that ends with its Sync.

    Psycopg's own may send a Flush behind it, and then Postgres no longer ends a transaction that
    lies idle: it starts that clock at a Sync and stops it at any other message.
    """

    def _exit_gen(self) -> PQGen[None]:
        try:
            self._enqueue_sync()
            yield from self._communicate_gen()
            while self.pgconn.flush():  # what is long goes out in parts
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
        """Send a commit behind the next statements."""
        self._once = True

    async def reach(self) -> None:
        """Open the transaction if no statement has, so that a server that is away is noticed."""
        if self._opening:
            await self._send([])

    async def send(self, statement: Statement) -> None:
        """Execute a statement together with all that others wait for at this moment."""
        if batch := self._batch:
            batch.statements.append(statement)
            await batch.done.wait()
            if batch.error:
                raise batch.error
            return
        batch = self._batch = _Batch([statement])
        try:
            await asyncio.sleep(0)  # meanwhile the others come as far
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
        if self._error:  # the cause, not that the transaction is aborted by it
            raise copy(self._error)
        try:
            await self._execute(statements)
        except Exception as error:
            self._error = copy(error)  # without a traceback, which holds this connection
            raise

    async def _execute(self, statements: Sequence[Statement]) -> None:
        if self._over:
            raise psycopg.ProgrammingError("the transaction was to read once, and is over")
        opening, self._opening = self._opening, ()
        if not (opening or self._once) and len(statements) == 1:
            await statements[0]()
            return
        self._pipeline = _Pipeline(self)  # which `pipeline` takes, and takes away
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
    """Look, without a round trip, whether the server has ended a connection.

    Raises:
        psycopg.OperationalError: it has.
    """
    for _ in range(2):  # its last words first, then that there are no more
        connection.pgconn.consume_input()


class PipelineCursor(psycopg.AsyncCursor[Any]):
    """A cursor whose statements are sent with those of others."""

    async def execute(self, *given: Any, **options: Any) -> PipelineCursor:
        """Execute a query or command."""
        connection = self.connection
        assert isinstance(connection, PipelineConnection)  # noqa: S101 - it made the cursor
        await connection.send(partial(super().execute, *given, **options))
        return self


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
    """Return what works on one transaction give, whose statements wait for Postgres together.

    All have ended when one's error is raised, so that none goes on where its transaction is over.
    """
    found = await asyncio.gather(*works, return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return tuple(found)
