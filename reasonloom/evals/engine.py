"""Temporary engines, databases and homes for the project's own suites, and tool calls on them."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from reasonloom.compose import open_engine
from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.validation import parse_request
from reasonloom.evals.core.way import AnswerContext
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call
from reasonloom.graphs.runs.engine import Engine
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import Access, embedded_access
from reasonloom.stores.embedded.server import EmbeddedServer

DATABASE = "eval"


@contextmanager
def temporary_home(**flags: Any) -> Iterator[Settings]:
    """Yield settings for a temporary home, offline unless `flags` name a language model."""
    with tempfile.TemporaryDirectory(prefix="reasonloom-eval-") as folder:
        # The embedded server runs as a different user when started by root.
        Path(folder).chmod(0o755)
        yield load_settings(**{"home": Path(folder) / "home", "llm": "offline", **flags})


@asynccontextmanager
async def temporary_database(**flags: Any) -> AsyncIterator[tuple[Settings, Access]]:
    """Yield settings and access to a fresh embedded database with default durability."""
    with temporary_home(**flags) as settings:
        server = EmbeddedServer(settings.database_folder, idle_stop=settings.idle_stop)
        try:
            yield settings, await embedded_access(server, DATABASE)
        finally:
            server.stop()


Key = TypeVar("Key")
Value = TypeVar("Value")
ToolAnswer = dict[str, Any]


@asynccontextmanager
async def temporary_engine(parts: AnswerContext, **flags: Any) -> AsyncIterator[Engine]:
    """Yield an engine with a run's language model and prompts, on a fresh embedded database."""
    async with (
        temporary_database(**flags) as (settings, access),
        open_engine(
            settings, access=access, llm=parts.llm, embedder=parts.embedder, recover=False
        ) as engine,
    ):
        engine.loom = replace(engine.loom, prompts=parts.prompts)
        yield engine


async def call_tool(
    engine: Engine,
    owner: str,
    tool: str,
    contract: type[Request],
    arguments: Mapping[str, Any],
    graph: str = "",
) -> ToolAnswer:
    """Call a tool's graph (by default the one of its name) as an owner, in the arguments' space."""
    request = parse_request(contract, arguments)
    wire = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    caller = Caller(owner).within(request.space())
    return (await engine.call(Call(tool, load_graph(graph or tool), wire, caller))).answer


async def timed_call(
    engine: Engine, owner: str, tool: str, contract: type[Request], arguments: Mapping[str, Any]
) -> tuple[ToolAnswer, float]:
    """Return a tool's answer as `call_tool` does, and the milliseconds taken."""
    started = time.perf_counter()
    answer = await call_tool(engine, owner, tool, contract, arguments)
    return answer, (time.perf_counter() - started) * 1000


class Once(Generic[Key, Value]):
    """Creates a value once per key, even when several items need it at the same time."""

    def __init__(self, make: Callable[[Key], Awaitable[Value]]) -> None:
        self._make = make
        self._made: dict[Key, Value] = {}
        self._door = asyncio.Lock()

    async def of(self, key: Key) -> Value:
        """Return the value of a key, creating it if needed."""
        async with self._door:
            if key not in self._made:
                self._made[key] = await self._make(key)
            return self._made[key]
