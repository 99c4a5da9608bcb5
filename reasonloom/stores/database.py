"""Opens transactions, each for one owner, and turns the driver's errors into ours."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar, cast

import psycopg
from psycopg import sql
from sqlalchemy import CursorResult, Row, TextClause
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseFull, DatabaseUnavailable, Deadlocked
from reasonloom.stores.access import Access
from reasonloom.stores.pipelines import Opening, PipelineConnection, PipelineCursor
from reasonloom.stores.statements import load

log = logging.getLogger(__name__)
SQL = load(__file__)

NOT_REACHED = "the database did not answer; try again in a moment"
LOCKED = "the database is busy: another call holds what this one needs; try again in a moment"
TOO_SLOW = (
    "the database took too long for one statement; ask for less, try again, or raise "
    "REASONLOOM_STATEMENT_SECONDS"
)
UNREACHED = (DBAPIError, psycopg.OperationalError, OSError)
T = TypeVar("T")
Values = Mapping[str, Any]
NO_VALUES: Values = MappingProxyType({})
POOL_WAIT = 30.0
"""Seconds a call waits for a free connection."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """One open transaction of one owner in one space; commits when its block ends well."""

    connection: AsyncConnection
    driver: PipelineConnection
    owner: str
    space: str

    def end_with_next(self) -> None:
        """Let the next statement, or those executed together with it, be the last.

        What ends it costs no round trip then. There must be no other statement.
        """
        self.driver.end_with_next()

    async def run(self, statement: TextClause, values: Values = NO_VALUES) -> int:
        """Execute a statement; return the number of rows it touched."""
        return int((await self._execute(statement, values)).rowcount)

    async def all(self, statement: TextClause, values: Values = NO_VALUES) -> Sequence[Row[Any]]:
        """Return every row of a query."""
        return (await self._execute(statement, values)).all()

    async def tuples(
        self, statement: TextClause, values: Values = NO_VALUES
    ) -> Sequence[tuple[Any, ...]]:
        """Return every row of a query, to be unpacked: for many rows quicker than by name."""
        return cast("Sequence[tuple[Any, ...]]", await self.all(statement, values))

    async def rows(
        self, kind: Callable[..., T], statement: TextClause, values: Values = NO_VALUES
    ) -> list[T]:
        """Return every row of a query as a `kind`, which takes its columns in their order."""
        return [kind(*row) for row in await self.tuples(statement, values)]

    async def first(self, statement: TextClause, values: Values = NO_VALUES) -> Row[Any] | None:
        """Return the first row of a query, or None."""
        return (await self._execute(statement, values)).first()

    async def one(self, statement: TextClause, values: Values = NO_VALUES) -> Row[Any]:
        """Return the row of a query that always gives one, such as a count."""
        row = await self.first(statement, values)
        assert row is not None  # noqa: S101 - it always is
        return row

    async def number(self, statement: TextClause, values: Values = NO_VALUES) -> int:
        """Return the one number that a query gives, 0 where it gives no row."""
        row = await self.first(statement, values)
        return int(row[0]) if row else 0

    async def _execute(self, statement: TextClause, values: Values) -> CursorResult[Any]:
        """Execute a statement, in which `:owner` and `:space` are the transaction's own."""
        own = {"owner": self.owner, "space": self.space}
        return await self.connection.execute(statement, {**own, **values})


connections_held: ContextVar[int] = ContextVar("connections_held", default=0)
"""Connections that the current task has, or waits for: others wait for what it holds."""


@contextmanager
def holds_connection() -> Iterator[None]:
    """Count a connection of the current task."""
    connections_held.set(connections_held.get() + 1)
    try:
        yield
    finally:
        connections_held.set(connections_held.get() - 1)


async def _connect(access: Access) -> PipelineConnection:
    """Return a new connection; one whose caller is cancelled meanwhile is closed.

    Cancelled by itself, psycopg leaves the socket open until the garbage is collected.
    """
    prepared: dict[str, Any] = {"prepare_threshold": None} if access.pooler else {}
    connecting = asyncio.ensure_future(
        PipelineConnection.connect(access.calls, cursor_factory=PipelineCursor, **prepared)
    )
    try:
        return await asyncio.shield(connecting)
    except asyncio.CancelledError:
        connecting.add_done_callback(_close_unused)
        raise


def _close_unused(connecting: asyncio.Future[PipelineConnection]) -> None:
    if not connecting.cancelled() and connecting.exception() is None:
        connecting.result().pgconn.finish()


class Database:
    """The pool of connections under the app's role."""

    def __init__(self, access: Access, *, connections: int = 5) -> None:
        self.access = access
        self._first = [sql.SQL(each) for each in ("BEGIN", *access.opening)]
        self.engine: AsyncEngine = create_async_engine(
            "postgresql+psycopg://",
            async_creator=partial(_connect, access),
            pool_size=connections,
            max_overflow=0,
            pool_timeout=POOL_WAIT,
            hide_parameters=True,
            isolation_level="AUTOCOMMIT",  # so that `_opening` begins, with the first statement
        )

    @asynccontextmanager
    async def begin(
        self, caller: Caller, *, searching: bool = False, walking: bool = False, once: bool = False
    ) -> AsyncIterator[Transaction]:
        """Open a transaction that sees the rows of `caller` alone.

        `searching` plans every statement anew, for the tables as they are now; `walking` keeps
        plans that suit tables of every size. With `once` it ends with its first statement, or with
        those that are executed together with it: then all is one round trip.

        Raises:
            DatabaseUnavailable: no connection, or it broke; nothing was stored.
        """
        if searching:
            text = SQL.part("bind_and_plan")
        else:
            text = SQL.part("bind_steady") if walking else SQL.part("bind")
        opening = self._opening(text, owner=caller.owner, space=caller.space)
        async with self._connected(opening) as connection:
            tx = Transaction(connection, await _driver(connection), caller.owner, caller.space)
            if once:
                tx.end_with_next()
            yield tx

    @asynccontextmanager
    async def recovering(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that sees the leases of every owner, and nothing else of theirs."""
        async with self._connected(self._opening(SQL.part("recover"))) as connection:
            yield connection

    def _opening(self, text: str, **values: str) -> Opening:
        """Return what opens a transaction and tells Postgres whose it is."""
        given = {key: sql.Literal(value) for key, value in values.items()}
        return *self._first, sql.SQL(text).format(**given)

    @asynccontextmanager
    async def _connected(self, opening: Opening) -> AsyncIterator[AsyncConnection]:
        """Open a transaction by `opening`; its faults become ours."""
        with holds_connection():
            async with self._open(opening) as connection:
                yield connection

    @asynccontextmanager
    async def _open(self, opening: Opening) -> AsyncIterator[AsyncConnection]:
        connection = await self._connect(opening)
        try:
            yield connection
            await (await _driver(connection)).reach()
            await connection.commit()
        except psycopg.OperationalError as error:
            raise _fault(error) from error
        except (OperationalError, InterfaceError) as error:
            log.warning("database fault: %s", type(error.orig).__name__)
            raise _fault(error.orig) from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise DatabaseUnavailable(NOT_REACHED) from error
            raise
        finally:
            await asyncio.shield(connection.close())

    async def _connect(self, opening: Opening) -> AsyncConnection:
        """Return a connection that is to send `opening` first.

        A pooled connection may have died meanwhile, and so may an embedded server: then the
        pool is emptied, the server looked after, and a new connection made, once.
        """
        try:
            return await self._opened(opening)
        except PoolTimeout as error:
            raise DatabaseUnavailable("all database connections are busy; try again") from error
        except UNREACHED:
            log.debug("no connection to the database; looking after the server")
        await self.engine.dispose()
        await self.access.ensure()
        try:
            return await self._opened(opening)
        except (*UNREACHED, PoolTimeout) as error:
            raise DatabaseUnavailable(NOT_REACHED) from error

    async def _opened(self, opening: Opening) -> AsyncConnection:
        connection = await self.engine.connect()
        try:
            await (await _driver(connection)).open_with(opening)
        except BaseException:
            await asyncio.shield(connection.close())
            raise
        return connection

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()


async def _driver(connection: AsyncConnection) -> PipelineConnection:
    return cast("PipelineConnection", (await connection.get_raw_connection()).driver_connection)


def _fault(error: object) -> DatabaseUnavailable:
    """Return our error for an error of the driver."""
    match error:
        case psycopg.errors.DeadlockDetected():
            return Deadlocked(NOT_REACHED)
        case psycopg.errors.LockNotAvailable():
            return DatabaseUnavailable(LOCKED)
        case psycopg.errors.QueryCanceled():
            return DatabaseUnavailable(TOO_SLOW)
        case psycopg.errors.DiskFull():
            return DatabaseFull()
    return DatabaseUnavailable(NOT_REACHED)
