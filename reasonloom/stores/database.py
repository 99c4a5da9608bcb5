"""Opens transactions: each names its owner first, and every fault of the driver ends here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg
from sqlalchemy import Executable, Row, text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller

log = logging.getLogger(__name__)
BIND = text("SELECT set_config('app.owner', :owner, true), set_config('app.space', :space, true)")
RECOVER = text("SELECT set_config('app.recovery', 'on', true)")
NOT_REACHED = "the database did not answer; try again in a moment"
POOL_WAIT = 30.0
"""Seconds a call waits for a free connection."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """One open transaction of one owner in one space; commits when its block ends well."""

    connection: AsyncConnection
    owner: str
    space: str

    async def run(self, statement: Executable, values: Any = None) -> int:
        """Execute a statement; return the number of rows it touched."""
        result = await self.connection.execute(statement, values)
        return int(getattr(result, "rowcount", -1))

    async def all(self, statement: Executable, values: Any = None) -> Sequence[Row[Any]]:
        """Return every row of a query."""
        return (await self.connection.execute(statement, values)).all()

    async def first(self, statement: Executable, values: Any = None) -> Row[Any] | None:
        """Return the first row of a query, or None."""
        return (await self.connection.execute(statement, values)).first()


class Database:
    """The pool of connections under the app's role."""

    def __init__(self, access: Access, *, connections: int = 5) -> None:
        self.access = access
        self.engine: AsyncEngine = create_async_engine(
            "postgresql+psycopg://",
            async_creator=lambda: psycopg.AsyncConnection.connect(access.app),
            pool_size=connections,
            max_overflow=0,
            pool_timeout=POOL_WAIT,
            pool_pre_ping=True,
        )

    @asynccontextmanager
    async def begin(self, caller: Caller) -> AsyncIterator[Transaction]:
        """Open a transaction that sees the rows of `caller` alone.

        Raises:
            DatabaseUnavailable: no connection, or it broke; nothing was stored.
        """
        async with self._connected() as connection, connection.begin():
            await connection.execute(BIND, {"owner": caller.owner, "space": caller.space})
            yield Transaction(connection, caller.owner, caller.space)

    @asynccontextmanager
    async def recovering(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that sees the leases of every owner, and nothing else of theirs."""
        async with self._connected() as connection, connection.begin():
            await connection.execute(RECOVER)
            yield connection

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection]:
        connection = await self._connect()
        try:
            yield connection
        except (OperationalError, InterfaceError) as error:
            log.warning("database fault: %s", type(error.orig).__name__)
            raise DatabaseUnavailable(NOT_REACHED) from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise DatabaseUnavailable(NOT_REACHED) from error
            raise
        finally:
            await asyncio.shield(connection.close())

    async def _connect(self) -> AsyncConnection:
        """Return a connection; an embedded server that died meanwhile is started once more."""
        try:
            return await self.engine.connect()
        except PoolTimeout as error:
            raise DatabaseUnavailable("all database connections are busy; try again") from error
        except (DBAPIError, psycopg.OperationalError, OSError):
            log.info("no connection to the database; looking after the server")
        await self.access.ensure()
        try:
            return await self.engine.connect()
        except (DBAPIError, psycopg.OperationalError, OSError, PoolTimeout) as error:
            raise DatabaseUnavailable(NOT_REACHED) from error

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()
