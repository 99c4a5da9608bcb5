"""The composition root: builds the loom and its engine from the settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.journal import WriteBehind
from reasonloom.graphs.runs.leases import Recovery
from reasonloom.graphs.runs.unrecorded import answer_unrecorded
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.from_settings import choose_judge, choose_llm
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.execution import Loom
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.memory.pinned_embedder import pinned_embedder
from reasonloom.stores.saver import SavedSteps
from reasonloom.stores.servers.opening import open_database

if TYPE_CHECKING:
    from reasonloom.graphs.runs.call import Call, Outcome
    from reasonloom.llm.interfaces import Embedder, LanguageModel
    from reasonloom.settings import Settings


NOWHERE = Access("", "")
"""Placeholder for a database that is never queried."""


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


@asynccontextmanager
async def open_engine(
    settings: Settings,
    *,
    access: Access | None = None,
    llm: LanguageModel | None = None,
    embedder: Embedder | None = None,
    clock: Callable[[], datetime] = now,
    simulated: Mapping[str, Callable[[], LanguageModel]] | None = None,
    recover: bool = True,
    offered: frozenset[str] | None = None,
) -> AsyncIterator[Engine]:
    """Open the database, upgrade its schema, and yield an engine that runs on it.

    Given parts override the settings, and are not closed. With `recover` the engine resumes runs
    abandoned by other processes and, unless read-only, runs a server's background jobs; it always
    renews its own leases. `offered` names the tools that a server serves.

    Raises:
        SettingMistake: a setting is invalid.
        DatabaseUnavailable: the database cannot be reached or migrated.
    """
    prompts = PromptRegistry(settings.prompts)
    chosen = llm or choose_llm(settings, simulated or {})
    judge = choose_judge(settings, simulated or {})
    database = await open_database(settings, access)
    async with AsyncExitStack() as opened:
        opened.push_async_callback(database.close)
        chosen_embedder = embedder or await _choose_embedder(settings, database)
        opened.pop_all()
    journal = WriteBehind(database, clock)
    loom = Loom(
        settings, database, chosen, chosen_embedder, prompts, clock, journal, offered, judge
    )  # fmt: skip
    steps = SavedSteps(database)
    engine = Engine(loom, steps, journal)
    recovery = Recovery(engine)
    tasks = [
        asyncio.create_task(journal.run()),
        asyncio.create_task(recovery.run() if recover else recovery.renew()),
    ]
    if recover and not settings.read_only:
        from reasonloom.graphs.background_jobs import jobs_of  # noqa: PLC0415 - a server's alone

        tasks += [asyncio.create_task(job.run(), name=type(job).__name__) for job in jobs_of(loom)]
    try:
        yield engine
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await engine.at_rest()
        await journal.flush()
        await steps.close()
        await database.close()
        for part, given in ((loom.llm, llm), (loom.judge, None), (loom.embedder, embedder)):
            if part is not None and part is not given:
                await part.close()


async def _choose_embedder(settings: Settings, database: Database) -> Embedder:
    """Return the embedder from the settings, else the one pinned in the database or the default."""
    pinned = None if settings.embedder else await pinned_embedder(database)
    return choose_embedder(settings, pinned)


async def answer_without_database(settings: Settings, call: Call) -> Outcome:
    """Answer a call of a stateless graph without a database.

    Raises:
        SettingMistake: a setting is invalid.
    """
    database = Database(NOWHERE)
    embedder = choose_embedder(settings)
    loom = Loom(
        settings, database, OfflineModel(), embedder, PromptRegistry(settings.prompts), now,
        WriteBehind(database, now),
    )  # fmt: skip
    try:
        return await answer_unrecorded(loom, SavedSteps(database), call)
    finally:
        await embedder.close()
        await database.close()
