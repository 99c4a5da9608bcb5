"""What a worker's jobs share: the database, the queue, and engines that open when needed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from reasonloom.compose import now, open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.nodes.execution import Loom
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.queue.jobs import JobIds, Queue
from reasonloom.stores.servers.opening import open_database

T = TypeVar("T")


class OtherVersion(Exception):
    """This worker would do a job in another way than who enqueued it; others may do it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at a job; `attempt` counts from 0."""

    id: int
    ids: JobIds
    attempt: int = 0


MOST_OPEN = 4
"""Parts without a job that stay open, such as the engines of evals."""


@dataclass
class OpenPart:
    """Something that jobs share while it is open."""

    value: Any
    stack: AsyncExitStack
    users: int = 0


@dataclass
class WorkContext:
    """The parts of one worker.

    `access` is the way to the only database; None for those of the settings, of which `database`
    opens the one where an owner lives. `llm` and `embedder` take the place of those that the
    settings, or a job, name.
    """

    settings: Settings
    access: Access | None
    database: Database
    queue: Queue
    llm: LanguageModel | None = None
    embedder: Embedder | None = None
    clock: Callable[[], datetime] = now
    _parts: dict[str, OpenPart] = field(default_factory=dict)
    _door: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def using(
        self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]
    ) -> AsyncIterator[T]:
        """Yield the part of a key, opened by its first user; those used last stay open."""
        async with self._door:
            part = self._parts.pop(key, None) or await _entered(opening)
            self._parts[key] = part  # the last one is the one used last
            part.users += 1
        try:
            yield part.value
        finally:
            part.users -= 1
            async with self._door:
                await self._close(most=MOST_OPEN)

    async def _close(self, most: int) -> None:
        unused = [key for key, part in self._parts.items() if not part.users]
        for key in unused[: max(0, len(unused) - most)]:
            await self._parts.pop(key).stack.aclose()

    @asynccontextmanager
    async def loom(self, embedder: str | None = None) -> AsyncIterator[Loom]:
        """Yield the loom of jobs that are not evals, with the embedder of a setting if given."""
        given = {"embedder": embedder} if embedder else {}

        def opening() -> AbstractAsyncContextManager[Engine]:
            return open_engine(
                self.settings.model_copy(update=given),
                access=self.access,
                llm=self.llm,
                embedder=self.embedder,
                recover=False,
            )

        async with self.using(f"loom {embedder or ''}", opening) as engine:
            yield engine.loom

    async def close(self) -> None:
        """Close what no job uses."""
        async with self._door:
            await self._close(most=0)


async def _entered(opening: Callable[[], AbstractAsyncContextManager[Any]]) -> OpenPart:
    stack = AsyncExitStack()
    return OpenPart(await stack.enter_async_context(opening()), stack)


@asynccontextmanager
async def work_context(
    settings: Settings,
    access: Access | None,
    queue: Queue,
    *,
    llm: LanguageModel | None = None,
    embedder: Embedder | None = None,
) -> AsyncIterator[WorkContext]:
    """Yield the parts of a worker; close them at the end."""
    database = await open_database(settings, access)
    context = WorkContext(settings, access, database, queue, llm, embedder)
    try:
        yield context
    finally:
        await context.close()
        await database.close()
