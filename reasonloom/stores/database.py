"""Opens transactions, each for one owner, and translates the driver's errors into ours."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import namedtuple
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, TypeVar, cast

import psycopg
from psycopg import sql
from psycopg.rows import AsyncRowFactory, tuple_row
from sqlalchemy import TextClause
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseFull, DatabaseUnavailable, Deadlocked, OwnerMoved
from reasonloom.stores.access import Access
from reasonloom.stores.pipelines import Opening, PipelineConnection, connect
from reasonloom.stores.statements import compiled, load
from reasonloom.telemetry.metrics import (
    CONNECTIONS,
    CONNECTIONS_MAX,
    CONNECTIONS_PENDING,
    gauged,
    recording,
)

log = logging.getLogger(__name__)
SQL = load(__file__)

NOT_REACHED = "the database did not answer; try again in a moment"
LOCKED = "the database is busy: another call holds what this one needs; try again in a moment"
TOO_SLOW = (
    "the database took too long for one statement; ask for less, try again, or raise "
    "REASONLOOM_STATEMENT_SECONDS"
)
BEING_MOVED = (
    "an owner in whose data this erases something is being moved to another database; try again "
    "when the move has ended"
)
UNREACHED = (DBAPIError, psycopg.OperationalError, OSError)
FAULTS = (psycopg.OperationalError, psycopg.InterfaceError)
T = TypeVar("T")
Values = Mapping[str, Any]
NO_VALUES: Values = MappingProxyType({})
USED = {"db.client.connection.state": "used"}
MOVED = "57R01"
"""The SQLSTATE of `enter_owner` for an owner who has moved; its detail has the epoch and name."""

OTHER_MOVING = "57R02"
"""The SQLSTATE of `redact_shared` while the rows of somebody else whom it redacts are moved."""

REASONS = {
    psycopg.errors.LockNotAvailable.sqlstate: LOCKED,
    psycopg.errors.QueryCanceled.sqlstate: TOO_SLOW,
    OTHER_MOVING: BEING_MOVED,
}
POOL_WAIT = 30.0
"""Seconds a call waits for a free connection."""


def named_rows(cursor: psycopg.AsyncCursor[Any]) -> Callable[[Sequence[Any]], Any]:
    """Make rows with the columns as attributes; a later column of the same name has none."""
    return _row_maker(tuple(column.name for column in cursor.description or ()))


@lru_cache(maxsize=1_024)
def _row_maker(names: tuple[str, ...]) -> Callable[[Sequence[Any]], Any]:
    kind: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc] # from a query
    return cast("Callable[[Sequence[Any]], Any]", kind._make)


@dataclass(frozen=True, slots=True)
class Transaction:
    """One open transaction; commits when its block succeeds.

    Attributes:
        bound: the values that every statement may name: the space, and the owner of the memories,
            which in a shared space is not the caller.
    """

    driver: PipelineConnection
    bound: Values

    @property
    def owner(self) -> str:
        """The owner whose rows it sees."""
        return str(self.bound["owner"])

    @property
    def space(self) -> str:
        """The space of the owner that it sees."""
        return str(self.bound["space"])

    def end_with_next(self) -> None:
        """Commit right after the next statement, or the batch it is executed in.

        The commit then costs no extra round trip. No other statement may follow.
        """
        self.driver.end_with_next()

    def of(self, owner: str) -> Transaction:
        """Return the same transaction for the rows of the caller `owner` itself."""
        return replace(self, bound={**self.bound, "owner": owner})

    async def run(self, statement: TextClause, values: Values = NO_VALUES) -> int:
        """Execute a statement; return the number of affected rows."""
        return (await self._execute(statement, values)).rowcount

    async def all(self, statement: TextClause, values: Values = NO_VALUES) -> list[Any]:
        """Return every row of a query, with the columns as attributes."""
        return await (await self._execute(statement, values, named_rows)).fetchall()

    async def tuples(
        self, statement: TextClause, values: Values = NO_VALUES
    ) -> list[tuple[Any, ...]]:
        """Return every row of a query as a tuple: faster for many rows than access by name."""
        return await (await self._execute(statement, values)).fetchall()

    async def rows(
        self, kind: Callable[..., T], statement: TextClause, values: Values = NO_VALUES
    ) -> list[T]:
        """Return every row of a query as a `kind`, which takes the columns in order."""
        return [kind(*row) for row in await self.tuples(statement, values)]

    async def row(
        self, kind: Callable[..., T], statement: TextClause, values: Values = NO_VALUES
    ) -> T | None:
        """Return the first row of a query as a `kind`, or None."""
        row = await (await self._execute(statement, values)).fetchone()
        return kind(*row) if row else None

    async def column(self, statement: TextClause, values: Values = NO_VALUES) -> list[Any]:
        """Return the first value of every row of a query."""
        return [row[0] for row in await self.tuples(statement, values)]

    async def first(self, statement: TextClause, values: Values = NO_VALUES) -> Any | None:
        """Return the first row of a query, with the columns as attributes, or None."""
        return await (await self._execute(statement, values, named_rows)).fetchone()

    async def one(self, statement: TextClause, values: Values = NO_VALUES) -> Any:
        """Return the row of a query that always yields one, such as a count."""
        row = await self.first(statement, values)
        assert row is not None  # noqa: S101 - it always is
        return row

    async def number(self, statement: TextClause, values: Values = NO_VALUES) -> int:
        """Return the number that a query yields, 0 if it yields no row."""
        row = await (await self._execute(statement, values)).fetchone()
        return int(row[0]) if row else 0

    async def _execute(
        self, statement: TextClause, values: Values, rows: AsyncRowFactory[Any] = tuple_row
    ) -> psycopg.AsyncCursor[Any]:
        """Execute a statement with `:owner` and `:space` bound to the transaction's.

        SQLAlchemy has compiled it; psycopg executes it, which takes less than half the time.
        """
        query = compiled(statement)
        cursor = self.driver.cursor(row_factory=rows)  # traced, if statements are
        await cursor.execute(query.text, query.parameters({**self.bound, **values}))
        return cursor


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


class Database:
    """The connection pool of the app's role.

    Among several databases, `epoch_of` gives the number of the last known move of an owner, so that
    a transaction of an owner who has moved on since is refused; `on_move` is called with owners
    who are being moved.
    """

    def __init__(
        self,
        access: Access,
        *,
        connections: int = 5,
        epoch_of: Callable[[str], int] | None = None,
        on_move: Callable[[str], None] | None = None,
    ) -> None:
        self.access = access
        self._epoch_of = epoch_of
        self._most = connections
        recording.to(CONNECTIONS_MAX, connections, {})
        self._first = [sql.SQL(each) for each in ("BEGIN", *access.opening)]
        self.engine: AsyncEngine = create_async_engine(
            "postgresql+psycopg://",
            async_creator=partial(connect, access, on_move),
            pool_size=connections,
            max_overflow=0,
            pool_timeout=POOL_WAIT,
            hide_parameters=True,
            isolation_level="AUTOCOMMIT",  # `_opening` sends BEGIN, with the first statement
        )

    @asynccontextmanager
    async def begin(
        self,
        caller: Caller,
        *,
        searching: bool = False,
        walking: bool = False,
        once: bool = False,
        reads: bool = False,
        noted: bool = True,
    ) -> AsyncIterator[Transaction]:
        """Open a transaction that sees only the rows of `caller`.

        `searching` replans every statement for the current tables; `walking` uses plans that suit
        tables of any size. With `once` it commits after its first statement, or the batch that it
        is executed in, so that everything takes one round trip. `reads` and `noted` are for a
        database with a read replica (`FollowedDatabase`).

        Raises:
            DatabaseUnavailable: no connection, or it was lost; nothing was stored.
        """
        if searching:
            text = SQL.part("bind_and_plan")
        else:
            text = SQL.part("bind_steady") if walking else SQL.part("bind")
        bound = {"owner": caller.owner, "space": caller.space}
        opening = self._opening(text, **bound)
        if caller.host or caller.groups:
            host = {"host": caller.host or "", "groups": json.dumps(caller.groups)}
            opening = (*opening, *self._opening(SQL.part("bind_host"), **host)[-1:])
            bound = {**bound, "owner": caller.host_or_owner}
        for owner in dict.fromkeys((caller.owner, caller.host or caller.owner)):
            opening = (*opening, *self.entering(owner))
        async with self._connected(opening, bound) as tx:
            if once:
                tx.end_with_next()
            yield tx

    @asynccontextmanager
    async def recovering(self) -> AsyncIterator[Transaction]:
        """Open a transaction that sees the leases of every owner, but nothing else of theirs."""
        async with self._connected(self._opening(SQL.part("recover")), NO_VALUES) as tx:
            yield tx

    async def database_for(self, owner: str) -> Database:
        """Return the database that has the rows of `owner`, which may be another's space."""
        return self

    async def parts(self) -> Sequence[Database]:
        """Return the databases that this one consists of and that can be reached."""
        return (self,)

    async def every_part(self) -> Sequence[Database]:
        """Return the databases that this one consists of, for changes that must reach each.

        Raises:
            DatabaseUnavailable: one of them cannot be reached.
        """
        return (self,)

    async def on_each(self, work: Callable[[Database], Awaitable[T]]) -> AsyncIterator[T]:
        """Yield the result of `work` for each part; of several, those that fail are left out.

        Raises:
            DatabaseUnavailable: there is one part, and it fails; or none can be reached.
        """
        parts = await self.parts()
        for part in parts:
            try:
                result = await work(part)
            except DatabaseUnavailable:
                if len(parts) == 1:
                    raise
                log.debug("left out a database that is unavailable")
            else:
                yield result

    def note_arrival(self, owner: str) -> None:
        """Note that an owner has moved here; a standby may not have all of it yet."""

    def entering(self, owner: str) -> Opening:
        """Return the statement that refuses an owner who has moved; none in a single database."""
        if self._epoch_of is None:
            return ()
        epoch = sql.Literal(self._epoch_of(owner))
        return (sql.SQL(SQL.part("enter")).format(owner=sql.Literal(owner), epoch=epoch),)

    def _opening(self, text: str, **values: str) -> Opening:
        """Return the statements that open a transaction and set its owner."""
        given = {key: sql.Literal(value) for key, value in values.items()}
        return *self._first, sql.SQL(text).format(**given)

    @asynccontextmanager
    async def _connected(self, opening: Opening, bound: Values) -> AsyncIterator[Transaction]:
        """Open a transaction with `opening`; translate its errors into ours."""
        with holds_connection():
            with gauged(CONNECTIONS_PENDING):
                connection = await self._connect(opening)
            recording.to(CONNECTIONS, 1, USED)
            driver = _driver(connection)
            try:
                yield Transaction(driver, bound)
                await driver.reach()
                await driver.commit()
            except psycopg.Error as error:
                if not (isinstance(error, FAULTS) or driver.closed):
                    raise
                log.warning("database fault: %s", type(error).__name__)
                raise fault_of(error) from error
            finally:
                recording.to(CONNECTIONS, -1, USED)
                await asyncio.shield(_give_back(connection))

    async def _connect(self, opening: Opening) -> AsyncConnection:
        """Return a connection that is to send `opening` first.

        A pooled connection may have died meanwhile, and so may an embedded server. Then the
        pool is emptied, the server started if needed, and a new connection tried, once.
        """
        try:
            return await self._opened(opening)
        except PoolTimeout as error:
            raise DatabaseUnavailable("all database connections are busy; try again") from error
        except UNREACHED as error:
            if isinstance(fault := fault_of(error), OwnerMoved):
                raise fault from error
            log.debug("no connection to the database; checking the server")
        await self.engine.dispose()
        await self.access.ensure()
        try:
            return await self._opened(opening)
        except (*UNREACHED, PoolTimeout) as error:
            raise DatabaseUnavailable(NOT_REACHED) from error

    async def _opened(self, opening: Opening) -> AsyncConnection:
        connection = await self.engine.connect()
        try:
            await _driver(connection).open_with(opening)
        except BaseException:
            await asyncio.shield(connection.close())
            raise
        return connection

    async def close(self) -> None:
        """Close every connection."""
        recording.to(CONNECTIONS_MAX, -self._most, {})
        self._most = 0  # a database may be closed twice
        await self.engine.dispose()


async def _give_back(connection: AsyncConnection) -> None:
    """Return a connection to the pool, which rolls back; drop one that is lost."""
    if _driver(connection).closed:
        await connection.invalidate()
    await connection.close()


def _driver(connection: AsyncConnection) -> PipelineConnection:
    assert connection.sync_connection  # noqa: S101 - it is connected
    return cast("PipelineConnection", connection.sync_connection.connection.driver_connection)


def fault_of(error: object) -> DatabaseUnavailable:
    """Translate an error of the driver into ours."""
    match error:
        case psycopg.errors.DeadlockDetected():
            return Deadlocked(NOT_REACHED)
        case psycopg.errors.DiskFull():
            return DatabaseFull()
        case psycopg.Error(sqlstate=state) as moved if state == MOVED:
            epoch, name, owner = (moved.diag.message_detail or "0  ").split(" ", 2)
            return OwnerMoved(owner, name, int(epoch))
        case psycopg.Error(sqlstate=state):
            return DatabaseUnavailable(REASONS.get(state or "", NOT_REACHED))
    return DatabaseUnavailable(NOT_REACHED)
