"""Opens the engine for one command, on behalf of the owner or of the user that it names."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from reasonloom.compose import open_engine
from reasonloom.contracts.base import NAME_LIMIT
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.settings import load_settings

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
    if user is not None and not (user.strip() and len(user) <= NAME_LIMIT):
        raise InvalidArgument(f"--user: must be 1 to {NAME_LIMIT} characters, not blank")

    async def run() -> T:
        settings = load_settings(llm=llm, embedder=embedder)
        async with open_engine(settings, recover=False) as engine:
            caller = Caller(settings.user, client="cli", project=settings.project)
            return await work(engine, caller.within(user))

    return asyncio.run(run())


def read_rows(
    reader: Callable[..., Awaitable[T]], *values: Any, user: str | None = None, **named: Any
) -> T:
    """Return the result of `reader` on the caller's rows, in a separate transaction."""

    async def work(engine: Engine, caller: Caller) -> T:
        async with engine.loom.database.begin(caller) as tx:
            return await reader(tx, *values, **named)

    return with_engine(work, user)
