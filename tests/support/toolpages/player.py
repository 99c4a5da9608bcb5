"""Plays a toolset's examples through a real client of a real server."""

from __future__ import annotations

import os
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp import Client
from mcp_types import TextContent

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import Access
from tests.support.clock import Clock

REFERENCE = re.compile(r"^\$(\w+)\.(.+)$")


@dataclass(frozen=True)
class Step:
    """One call: a tool's, with `$tool.path` for what an earlier answer holds there.

    Where `shown` is false it only prepares what comes after.
    """

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    shown: bool = True


@dataclass(frozen=True)
class Played:
    """A call as it was made, and what was answered."""

    step: Step
    arguments: dict[str, Any]
    answer: dict[str, Any]
    text: str
    failed: bool


Prepare = Callable[[Engine], Awaitable[Mapping[str, Any]]]
"""Lays down what a toolset's examples begin from; what it returns is `$given`."""


class KeptRoom(EngineLifespan):
    """The room of an engine that is open already."""

    def __init__(self, settings: Settings, kept: Engine) -> None:
        super().__init__(settings)
        self._kept = kept

    async def engine(self) -> Engine:
        """Return the engine."""
        return self._kept


class Player:
    """A client whose calls follow one another, a minute apart."""

    def __init__(
        self, client: Client, engine: Engine, clock: Clock, given: Mapping[str, Any]
    ) -> None:
        self.client, self._engine, self._clock = client, engine, clock
        self.known: dict[str, Any] = {"given": given}

    async def play(self, step: Step) -> Played:
        """Make a call; keep its answer under the tool's name."""
        self._clock.move(minutes=1)
        arguments = self.filled(step.arguments)
        await self._engine.loom.journal.flush()
        result = await self.client.call_tool(step.tool, arguments)
        answer = dict(result.structured_content or {})
        if not result.is_error:
            self.known[step.tool] = answer
        first = result.content[0] if result.content else None
        text = first.text if isinstance(first, TextContent) else ""
        return Played(step, arguments, answer, text, bool(result.is_error))

    def filled(self, value: Any) -> Any:
        """Return arguments with what earlier answers hold."""
        if isinstance(value, dict):
            return {name: self.filled(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, str) and (found := REFERENCE.match(value)):
            return _at(self.known[found[1]], found[2])
        return value


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


@contextmanager
def greenwich() -> Iterator[None]:
    """Let local time be that of Greenwich, wherever the machine stands."""
    before = os.environ.get("TZ")
    try:
        _set_zone("UTC")
        yield
    finally:
        _set_zone(before)


def _set_zone(name: str | None) -> None:
    if name is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = name
    time.tzset()


@asynccontextmanager
async def playing(
    access: Access,
    embedder: Embedder,
    toolsets: Sequence[str],
    prepare: Prepare,
    *,
    llm: LanguageModel | None = None,
    answers: str | None = None,
) -> AsyncIterator[Player]:
    """Yield a player of a real server with some toolsets; `answers` is the setting of that name."""
    clock = Clock()
    settings = load_settings(
        toolsets=",".join(toolsets), cluster_hours=0, decay_hours=0, answers=answers
    )
    async with open_engine(
        settings, access=access, embedder=embedder, clock=clock, llm=llm, recover=False
    ) as engine:
        given = await prepare(engine)
        async with KeptRoom(settings, engine) as room, Client(build_server(room)) as client:
            yield Player(client, engine, clock, given)
