"""Opens transactions, each for one owner, and translates the driver's errors into ours."""

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
    """One open transaction of one owner in one space; commits when its block succeeds."""

    connection: AsyncConnection
    driver: PipelineConnection
    owner: str
    space: str

    def end_with_next(self) -> None:
        """Commit right after the next statement, or the batch it is executed in.

        The commit then costs no extra round trip. No other statement may follow.
        """
        self.driver.end_with_next()

    async def run(self, statement: TextClause, values: Values = NO_VALUES) -> int:
        """Execute a statement; return the number of affected rows."""
        return int((await self._execute(statement, values)).rowcount)

    async def all(self, statement: TextClause, values: Values = NO_VALUES) -> Sequence[Row[Any]]:
        """Return every row of a query."""
        return (await self._execute(statement, values)).all()

    async def tuples(
        self, statement: TextClause, values: Values = NO_VALUES
    ) -> Sequence[tuple[Any, ...]]:
        """Return every row of a query as a tuple: faster for many rows than access by name."""
        return cast("Sequence[tuple[Any, ...]]", await self.all(statement, values))

    async def rows(
        self, kind: Callable[..., T], statement: TextClause, values: Values = NO_VALUES
    ) -> list[T]:
        """Return every row of a query as a `kind`, which takes the columns in order."""
        return [kind(*row) for row in await self.tuples(statement, values)]

    async def row(
        self, kind: Callable[..., T], statement: TextClause, values: Values = NO_VALUES
    ) -> T | None:
        """Return the first row of a query as a `kind`, or None."""
        row = await self.first(statement, values)
        return kind(*row) if row else None

    async def column(self, statement: TextClause, values: Values = NO_VALUES) -> list[Any]:
        """Return the first value of every row of a query."""
        return [row[0] for row in await self.tuples(statement, values)]

    async def first(self, statement: TextClause, values: Values = NO_VALUES) -> Row[Any] | None:
        """Return the first row of a query, or None."""
        return (await self._execute(statement, values)).first()

    async def one(self, statement: TextClause, values: Values = NO_VALUES) -> Row[Any]:
        """Return the row of a query that always yields one, such as a count."""
        row = await self.first(statement, values)
        assert row is not None  # noqa: S101 - it always is
        return row

    async def number(self, statement: TextClause, values: Values = NO_VALUES) -> int:
        """Return the number that a query yields, 0 if it yields no row."""
        row = await self.first(statement, values)
        return int(row[0]) if row else 0

    async def _execute(self, statement: TextClause, values: Values) -> CursorResult[Any]:
        """Execute a statement with `:owner` and `:space` bound to the transaction's."""
        own = {"owner": self.owner, "space": self.space}
        return await self.connection.execute(statement, {**own, **values})


connections_held: ContextVar[int] = ContextVar("connections_held", default=0)
"""Connections that the current task holds or waits for; others may be waiting for the held ones."""


@contextmanager
def holds_connection() -> Iterator[None]:
    """Count a connection as held by the current task."""
    connections_held.set(connections_held.get() + 1)
    try:
        yield
    finally:
        connections_held.set(connections_held.get() - 1)


async def _connect(access: Access) -> PipelineConnection:
    """Return a new connection; close it if the caller is cancelled meanwhile.

    When cancelled directly, psycopg leaves the socket open until garbage collection.
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
    """The connection pool of the app's role."""

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
            isolation_level="AUTOCOMMIT",  # `_opening` sends BEGIN, with the first statement
        )

    @asynccontextmanager
    async def begin(
        self, caller: Caller, *, searching: bool = False, walking: bool = False, once: bool = False
    ) -> AsyncIterator[Transaction]:
        """Open a transaction that sees only the rows of `caller`.

        `searching` replans every statement for the current tables; `walking` uses plans that suit
        tables of any size. With `once` it commits after its first statement, or the batch that it
        is executed in, so that everything takes one round trip.

        Raises:
            DatabaseUnavailable: no connection, or it was lost; nothing was stored.
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
        """Open a transaction that sees the leases of every owner, but nothing else of theirs."""
        async with self._connected(self._opening(SQL.part("recover"))) as connection:
            yield connection

    def _opening(self, text: str, **values: str) -> Opening:
        """Return the statements that open a transaction and set its owner."""
        given = {key: sql.Literal(value) for key, value in values.items()}
        return *self._first, sql.SQL(text).format(**given)

    @asynccontextmanager
    async def _connected(self, opening: Opening) -> AsyncIterator[AsyncConnection]:
        """Open a transaction with `opening`; translate its errors into ours."""
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

        A pooled connection may have died meanwhile, and so may an embedded server. Then the
        pool is emptied, the server started if needed, and a new connection tried, once.
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
    """Translate an error of the driver into ours."""
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
