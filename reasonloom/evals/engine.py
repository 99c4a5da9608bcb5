"""An engine for the project's own suites, on a database that is thrown away, and calls of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.validation import read
from reasonloom.evals.home import throw_away_database
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.graphs_call import Call

if TYPE_CHECKING:
    from reasonloom.contracts.base import Request
    from reasonloom.evals.core.way import Parts
    from reasonloom.graphs.runs.engine import Engine

Key = TypeVar("Key")
Value = TypeVar("Value")
Answered = dict[str, Any]


@asynccontextmanager
async def throw_away_engine(parts: Parts, **flags: Any) -> AsyncIterator[Engine]:
    """Yield an engine with a run's language model and prompts, on a fresh embedded database."""
    async with (
        throw_away_database(**flags) as (settings, access),
        open_engine(
            settings, access=access, llm=parts.llm, embedder=parts.embedder, recover=False
        ) as engine,
    ):
        engine.loom = replace(engine.loom, prompts=parts.prompts)
        yield engine


async def called(
    engine: Engine,
    owner: str,
    tool: str,
    contract: type[Request],
    arguments: Mapping[str, Any],
    graph: str = "",
) -> Answered:
    """Call a tool as an owner, in the space that the arguments name; return its answer.

    Args:
        graph: that answers it; the one of its name if empty.
    """
    request = read(contract, arguments)
    wire = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    caller = Caller(owner).within(request.space())
    return (await engine.call(Call(tool, load_graph(graph or tool), wire, caller))).answer


class Once(Generic[Key, Value]):
    """What several items need and is made once, however many ask for it at the same time."""

    def __init__(self, make: Callable[[Key], Awaitable[Value]]) -> None:
        self._make = make
        self._made: dict[Key, Value] = {}
        self._door = asyncio.Lock()

    async def of(self, key: Key) -> Value:
        """Return what belongs to a key, made now if it is not there."""
        async with self._door:
            if key not in self._made:
                self._made[key] = await self._make(key)
            return self._made[key]
