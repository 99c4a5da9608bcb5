"""LangGraph's saver on our database: thread = owner/run, visible only to the owner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, AsyncCursor, InterfaceError, OperationalError
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from reasonloom.stores.database import Database, fault_of, holds_connection
from reasonloom.stores.pipelines import FRESH, notice_end
from reasonloom.stores.plain_msgpack import PlainSerializer

saving_for: ContextVar[str] = ContextVar("saving_for", default="")
"""The owner whose steps the current task saves."""

CONNECTIONS = 2
"""Size of the saver's own pool: with a shared one, a run could wait for a connection it holds."""


def thread_of(owner: str, run_id: UUID) -> str:
    """Return the id of the thread under which a run's steps are saved."""
    return f"{owner}/{run_id}"


TASKS = "tasks"
"""Key in a checkpoint's metadata: the paths of the tasks that ran before it."""

OPEN = "SELECT set_config('app.owner', %s, true), set_config('synchronous_commit', 'off', true)"
"""Commits of saved steps do not wait for the disk. Those of replies and rows do, and flush every
step saved before them. Steps lost in a crash of the database are executed again."""


class _AtOnce(asyncio.Lock):
    """A lock that never blocks.

    LangGraph's saver locks each of its reads and writes, because they share a single connection.
    Ours come from a pool, each used by one task at a time: with a real lock, the runs of a whole
    process would save one after another.
    """

    async def acquire(self) -> Literal[True]:
        """Return at once."""
        return True

    def release(self) -> None:
        """Do nothing."""


@dataclass(slots=True)
class _Statements:
    """Statements to be sent later, collected through the interface of a cursor."""

    collected: list[tuple[str, Any, bool]] = field(default_factory=list)

    async def execute(self, query: str, params: Sequence[Any]) -> None:
        """Collect a statement."""
        self.collected.append((query, params, False))

    async def executemany(self, query: str, params: Sequence[Sequence[Any]]) -> None:
        """Collect a statement with several rows of values."""
        self.collected.append((query, params, True))

    async def send(self, cursor: AsyncCursor[DictRow]) -> None:
        """Execute the statements in their order."""
        for query, params, many in self.collected:
            await (cursor.executemany if many else cursor.execute)(query, params)


@dataclass(slots=True)
class _Unsaved:
    """The unsaved data of a thread: its first checkpoints, and results of the current step.

    Results are kept as the arguments of `aput_writes`: few are ever serialised.
    """

    checkpoints: _Statements = field(default_factory=_Statements)
    results: list[tuple[Any, ...]] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of the saver: the buffer of its statements, or else what is sent ahead of them."""

    waits_in: _Statements | None = None
    sent_before: Sequence[_Statements] = ()


_use: ContextVar[_Use] = ContextVar("use", default=_Use())  # noqa: B039 - it is frozen


class _Saver(AsyncPostgresSaver):
    """LangGraph's saver, with one round trip per step.

    LangGraph saves the result of each task, and then the checkpoint that contains them all. Here
    results are saved only if no checkpoint follows: with an error, or a question to the caller.
    The two checkpoints before the first node are saved with the one after it. After a kill, all
    tasks of the current step are executed again from recorded replies. A checkpoint's metadata
    names the `tasks` whose results it contains.

    If the database becomes unavailable, our own error is raised, which callers may retry.
    """

    def __init__(self, steps: SavedSteps) -> None:
        super().__init__(cast("Any", None), serde=PlainSerializer())  # `_cursor` finds its own
        self.lock = _AtOnce()
        self._steps = steps

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; buffer those before the first node until the next one."""
        thread = config["configurable"]["thread_id"]
        unsaved = self._steps.unsaved.pop(thread, None)
        if unsaved and unsaved.tasks:
            metadata = cast("CheckpointMetadata", metadata | {TASKS: unsaved.tasks})
            unsaved.tasks = []
        begins = metadata.get("source") == "input"
        if begins or (unsaved and metadata.get("step", 1) < 1):
            unsaved = self._steps.unsaved[thread] = unsaved or _Unsaved()
            use = _Use(waits_in=unsaved.checkpoints)
        else:
            use = _Use(sent_before=[unsaved.checkpoints] if unsaved else [])
        with _using(use):
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save a task's error or question with everything buffered; buffer its result."""
        thread = config["configurable"]["thread_id"]
        unsaved = self._steps.unsaved.setdefault(thread, _Unsaved())
        unsaved.tasks.append(task_path)
        if not any(channel in WRITES_IDX_MAP for channel, _ in writes):
            unsaved.results.append((config, writes, task_id, task_path))
            return
        del self._steps.unsaved[thread]
        results = await self._results_of(unsaved)
        with _using(_Use(sent_before=[unsaved.checkpoints, results])):
            await super().aput_writes(config, writes, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a saved step; a new thread has none, so the query is skipped."""
        thread = config["configurable"]["thread_id"]
        if thread in self._steps.begun:
            self._steps.begun.discard(thread)
            return None
        await self._save_buffered(thread)
        return await super().aget_tuple(config)

    async def alist(
        self, config: RunnableConfig | None, **conditions: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield saved steps, the newest first."""
        threads = [config["configurable"]["thread_id"]] if config else list(self._steps.unsaved)
        for thread in threads:
            await self._save_buffered(thread)
        async for step in super().alist(config, **conditions):
            yield step

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread with what is buffered of it."""
        self._steps.unsaved.pop(thread_id, None)
        await super().adelete_thread(thread_id)

    async def _save_buffered(self, thread: str) -> None:
        """Save what is buffered of a thread, so that a read finds it."""
        unsaved = self._steps.unsaved.get(thread)
        if unsaved and (unsaved.checkpoints.collected or unsaved.results):
            self._steps.unsaved[thread] = _Unsaved(tasks=unsaved.tasks)
            results = await self._results_of(unsaved)
            with _using(_Use(sent_before=[unsaved.checkpoints, results])):
                async with self._cursor():
                    pass

    async def _results_of(self, unsaved: _Unsaved) -> _Statements:
        """Return the statements that save the buffered results of tasks."""
        results = _Statements()
        with _using(_Use(waits_in=results)):
            for each in unsaved.results:
                await super().aput_writes(*each)
        return results

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        use = _use.get()
        if use.waits_in is not None:
            yield cast("AsyncCursor[DictRow]", use.waits_in)
            return
        owner = saving_for.get()
        steps = await self._steps.pool_for(owner)
        try:
            with holds_connection():
                async with (
                    steps.pool.connection() as connection,
                    connection.pipeline(),
                    connection.cursor(binary=True, row_factory=dict_row) as cursor,
                ):
                    for statement in ("BEGIN", *steps.opening):
                        await connection.execute(statement, prepare=False)
                    await connection.execute(OPEN, (owner,))
                    for entering in steps.database.entering(owner):
                        await connection.execute(entering, prepare=False)
                    for each in use.sent_before:
                        await each.send(cursor)
                    yield cursor
                    await connection.execute("COMMIT", prepare=False)
        except (OperationalError, InterfaceError) as error:  # includes the pool's timeout
            raise fault_of(error) from error


@contextmanager
def _using(use: _Use) -> Iterator[None]:
    token = _use.set(use)
    try:
        yield
    finally:
        _use.reset(token)


class StepsPool:
    """The connections for the saved steps in one database.

    Attributes:
        opening: the statements that open a transaction, before its owner is set.
    """

    def __init__(self, database: Database) -> None:
        access = database.access
        self.database = database
        self.opening = access.opening
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


class SavedSteps:
    """The saver and its connections.

    Attributes:
        begun: the threads of new runs that have not read a saved step yet.
        unsaved: the unsaved data of active threads.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pools: dict[Database, StepsPool] = {}
        self._opening = asyncio.Lock()
        self.begun: set[str] = set()
        self.unsaved: dict[str, _Unsaved] = {}
        self.saver: _Saver | None = None

    async def pool_for(self, owner: str) -> StepsPool:
        """Return the connections to the database that has an owner's steps."""
        database = await self._database.database_for(owner)
        if database not in self._pools:
            async with self._opening:
                if database not in self._pools:
                    made = StepsPool(database)
                    await made.pool.open()
                    self._pools[database] = made
        return self._pools[database]

    async def open(self) -> AsyncPostgresSaver:
        """Return the saver, created on first use within the running event loop."""
        if self.saver is None:
            self.saver = _Saver(self)
        return self.saver

    async def close(self) -> None:
        """Close the connections."""
        for each in self._pools.values():
            await each.pool.close()
