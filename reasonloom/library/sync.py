"""The library without `await`: a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from reasonloom.contracts.base import Answer
from reasonloom.library.loom import Loom, open_calls
from reasonloom.library.tool_calls import ToolCalls
from reasonloom.library.tool_methods import SyncToolMethods

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import StructuredTool

    from reasonloom.library.middleware import MemoryMiddleware
    from reasonloom.library.modes import Mode
    from reasonloom.library.store import Store
    from reasonloom.llm.interfaces import Embedder, LanguageModel

T = TypeVar("T")


class SyncLoom(SyncToolMethods):
    """An open memory whose methods block, for scripts and notebooks; usable from any thread."""

    def __init__(self, calls: ToolCalls) -> None:
        self.user = calls.user
        self._calls = calls
        self._loom = Loom(calls)

    def call(self, tool: str, /, *values: Any, **named: Any) -> Answer:
        """Call a tool by name (see `Loom.call`)."""
        return self._calls.wait_for(self._loom.call(tool, *values, **named))

    def answer(self, run_id: str, answers: Sequence[Mapping[str, Any]]) -> Answer:
        """Answer the questions of a run that waits (see `Loom.answer`)."""
        return self._calls.wait_for(self._loom.answer(run_id, answers))

    def mode(self, name: str, /, **arguments: Any) -> Mode:
        """Return a reasoning mode as a runnable (see `Loom.mode`)."""
        return self._loom.mode(name, **arguments)

    def tools(self, *names: str) -> list[StructuredTool]:
        """Return tools for LangChain's agents (see `Loom.tools`)."""
        return self._loom.tools(*names)

    @property
    def store(self) -> Store:
        """A store for LangGraph's graphs and agents (see `Loom.store`)."""
        return self._loom.store

    def memory_middleware(self, *, limit: int = 8, store: bool = True) -> MemoryMiddleware:
        """Return middleware for `create_agent` (see `Loom.memory_middleware`)."""
        return self._loom.memory_middleware(limit=limit, store=store)


@contextmanager
def open_sync(
    *,
    user: str | None = None,
    llm: str | LanguageModel | BaseChatModel | None = None,
    embedder: str | Embedder | None = None,
    **settings: Any,
) -> Iterator[SyncLoom]:
    """Open the memory for code without an event loop, or within a running one (see `open`).

    Raises:
        SettingMistake: a setting is unknown or invalid.
        DatabaseUnavailable: the database cannot be reached or migrated.
    """
    with open_thread(user=user, llm=llm, embedder=embedder, **settings) as calls:
        yield SyncLoom(calls)


@contextmanager
def open_thread(**given: Any) -> Iterator[ToolCalls]:
    """Open an engine in a thread with an event loop of its own (see `open_calls`)."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="reasonloom", daemon=True)
    thread.start()

    def result_of(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    opening = open_calls(**given, own_thread=True)
    try:
        calls = result_of(opening.__aenter__())
        try:
            yield calls
        finally:
            result_of(opening.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
