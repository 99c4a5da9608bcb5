"""LangGraph's saver on our database: thread = owner/run, visible to the owner alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Literal
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, AsyncCursor, InterfaceError, OperationalError
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access
from reasonloom.stores.database import NOT_REACHED, holds_connection
from reasonloom.stores.pipelines import FRESH, notice_end
from reasonloom.stores.plain_msgpack import PlainSerializer

saving_for: ContextVar[str] = ContextVar("saving_for", default="")
"""The owner whose steps the current task saves."""

CONNECTIONS = 2
"""The saver has a pool of its own: a run that held a connection of it would wait for itself."""


def thread_of(owner: str, run_id: UUID) -> str:
    """Return the thread under which a run's steps are saved."""
    return f"{owner}/{run_id}"


OPEN = "SELECT set_config('app.owner', %s, true), set_config('synchronous_commit', 'off', true)"
"""A saved step is not waited for until it is on the disk: replies and rows are, and with each of
them every step saved before. What a crash of the database takes is walked again."""


class _AtOnce(asyncio.Lock):
    """A lock that lets everybody in.

    LangGraph's saver holds one over each of its reads and writes, for a single connection that
    all share. Ours come from a pool, one to each user at a time: with the lock the runs of a
    whole process would save one after another.
    """

    async def acquire(self) -> Literal[True]:
        """Let the caller in."""
        return True

    def release(self) -> None:
        """Do nothing."""


class _Saver(AsyncPostgresSaver):
    """LangGraph's saver, each of whose uses is a transaction of the owner, sent as one.

    The database may go away under a run: that is our error, to be tried again.
    """

    def __init__(self, steps: SavedSteps) -> None:
        super().__init__(steps.pool, serde=PlainSerializer())
        self.lock = _AtOnce()
        self._steps = steps

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a saved step; a thread that has just begun has none, and is not searched for."""
        thread = config["configurable"]["thread_id"]
        if thread in self._steps.begun:
            self._steps.begun.discard(thread)
            return None
        return await super().aget_tuple(config)

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        try:
            with holds_connection():
                async with super()._cursor(pipeline=True) as cursor:
                    connection = cursor.connection
                    for statement in ("BEGIN", *self._steps.opening):
                        await connection.execute(statement, prepare=False)
                    await connection.execute(OPEN, (saving_for.get(),))
                    yield cursor
                    await connection.execute("COMMIT", prepare=False)
        except (OperationalError, InterfaceError) as error:  # a pool's timeout is one of them
            raise DatabaseUnavailable(NOT_REACHED) from error


class SavedSteps:
    """The saver and its pool of connections.

    Attributes:
        opening: what a transaction begins with, before it names its owner.
        begun: the threads of new runs that have not looked for a saved step yet.
    """

    def __init__(self, access: Access) -> None:
        self.opening = access.opening
        self.begun: set[str] = set()
        self.pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
            access.calls,
            min_size=0,
            max_size=CONNECTIONS,
            open=False,
            check=notice_end,
            max_idle=FRESH,
            kwargs={
                "autocommit": True,
                "prepare_threshold": None if access.pooler else 0,
                "row_factory": dict_row,
            },
        )
        self.saver: _Saver | None = None

    async def open(self) -> AsyncPostgresSaver:
        """Return the saver, made on first use within the running loop."""
        if self.saver is None:
            await self.pool.open()
            self.saver = _Saver(self)
        return self.saver

    async def close(self) -> None:
        """Close the pool."""
        await self.pool.close()
