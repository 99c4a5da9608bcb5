"""Opens the database or the engine for one command, for the owner or the user that it names.

The engine is imported only where it is opened: lists need the database alone, and start fast.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from reasonloom.contracts.base import NAME_LIMIT
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.servers.opening import open_database

if TYPE_CHECKING:
    from reasonloom.graphs.runs.engine import Engine

T = TypeVar("T")


def with_engine(
    work: Callable[[Engine, Caller], Awaitable[T]],
    user: str | None = None,
    *,
    llm: str | None = None,
    embedder: str | None = None,
) -> T:
    """Run `work` with the caller and an engine that recovers no runs.

    `llm` and `embedder` override the settings.

    Raises:
        InvalidArgument: the user's name is blank or too long.
    """
    from reasonloom.compose import open_engine

    _require_user(user)

    async def run() -> T:
        settings = load_settings(llm=llm, embedder=embedder)
        async with open_engine(settings, recover=False) as engine:
            return await work(engine, _caller(settings, user))

    return asyncio.run(run())


def read_rows(
    reader: Callable[..., Awaitable[T]], *values: Any, user: str | None = None, **named: Any
) -> T:
    """Return the result of `reader` on the caller's rows, in one transaction without an engine.

    Raises:
        InvalidArgument: the user's name is blank or too long.
    """
    _require_user(user)

    async def run() -> T:
        settings = load_settings()
        database = await open_database(settings, connections=1)
        try:
            async with database.begin(_caller(settings, user)) as tx:
                return await reader(tx, *values, **named)
        finally:
            await database.close()

    return asyncio.run(run())


def _caller(settings: Settings, user: str | None) -> Caller:
    return Caller(settings.user, client="cli", project=settings.project).within(user)


def _require_user(user: str | None) -> None:
    if user is not None and not (user.strip() and len(user) <= NAME_LIMIT):
        raise InvalidArgument(f"--user: must be 1 to {NAME_LIMIT} characters, not blank")
