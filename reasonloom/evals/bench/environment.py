"""The environment of a benchmark: an engine on a temporary embedded server, with stopwatches."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

import psycopg
from langchain_core.runnables import RunnableConfig

from reasonloom.compose import open_engine
from reasonloom.contracts import history
from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.graph_memory import nodes, queries, sessions
from reasonloom.contracts.memory.recall import Recall
from reasonloom.contracts.memory.tools import Remember
from reasonloom.contracts.mental_models import models
from reasonloom.contracts.reasoning.linear import ReasoningLinear
from reasonloom.contracts.reasoning.tree import ReasoningTree
from reasonloom.contracts.validation import parse_request
from reasonloom.evals.bench.timing import WARM_UP, Work, time_once
from reasonloom.evals.engine import temporary_database
from reasonloom.evals.simulated.conversation import SimulatedModel
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.interfaces import Ask, Embedder, LanguageModel, Reply
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database, Transaction
from reasonloom.stores.saver import saving_for


class TimedEmbedder:
    """An embedder that adds up its time."""

    def __init__(self, inner: Embedder) -> None:
        self._inner, self.seconds = inner, 0.0
        self.model, self.dimension, self.floor = inner.model, inner.dimension, inner.floor

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed and add the time."""
        started = time.perf_counter()
        try:
            return await self._inner.embed(texts)
        finally:
            self.seconds += time.perf_counter() - started

    async def close(self) -> None:
        """Close the inner embedder."""
        await self._inner.close()


class TimedDatabase(Database):
    """A database that adds up the time of its transactions, from connecting to commit."""

    def __init__(self, access: Access, *, connections: int = 5) -> None:
        super().__init__(access, connections=connections)
        self.seconds = 0.0

    @asynccontextmanager
    async def begin(self, caller: Caller, **ways: bool) -> AsyncIterator[Transaction]:
        """Open a transaction and add its time."""
        started = time.perf_counter()
        async with super().begin(caller, **ways) as tx:
            yield tx
        self.seconds += time.perf_counter() - started


TOOLS: dict[str, tuple[type[Request], str]] = {
    "remember": (Remember, "remember"),
    "recall": (Recall, "recall"),
    "history_search": (history.HistorySearch, "history_search"),
    "history_recall": (history.HistoryRecall, "history_recall"),
    "history_list_projects": (history.HistoryListProjects, "history_list_projects"),
    "history_list_sessions": (history.HistoryListSessions, "history_list_sessions"),
    "history_stats": (history.HistoryStats, "history_stats"),
    "history_reconstruct": (history.HistoryReconstruct, "history_reconstruct"),
    "reasoning_linear": (ReasoningLinear, "linear"),
    "reasoning_tree": (ReasoningTree, "tree"),
    "memory_add": (nodes.MemoryAdd, "memory_add"),
    "memory_query": (queries.MemoryQuery, "memory_query"),
    "memory_similar": (queries.MemorySimilar, "memory_similar"),
    "memory_quality": (queries.MemoryQuality, "memory_quality"),
    "memory_stats": (queries.MemoryStats, "memory_stats"),
    "memory_traverse": (queries.MemoryTraverse, "memory_traverse"),
    "memory_context": (queries.MemoryContext, "memory_context"),
    "session_start": (sessions.SessionStart, "session_start"),
    "session_end": (sessions.SessionEnd, "session_end"),
    "create_model": (models.CreateModel, "create_model"),
    "list_models": (models.ListModels, "list_models"),
    "get_model": (models.GetModel, "get_model"),
    "revise_model": (models.ReviseModel, "revise_model"),
}
"""The measured tools: contract and graph."""

OWNER = "bench"


class InstantLlm(SimulatedModel):
    """A language model that answers instantly, so that only our own time is measured."""

    name = "instant"

    async def answer(self, ask: Ask) -> Reply:
        """Return a fixed thought, which serves as a summary too."""
        thought = "It follows from the facts."
        return Reply("", {"thought": thought, "summary": thought, "confidence": 0.9}, self.name)


class BenchEngine:
    """An engine whose embedding and database times are measured separately."""

    def __init__(self, engine: Engine, access: Access) -> None:
        self.access = access
        self.embedder = TimedEmbedder(engine.loom.embedder)
        self.database = TimedDatabase(access, connections=engine.loom.settings.database_connections)
        engine.loom = replace(engine.loom, embedder=self.embedder, database=self.database)
        self.engine = engine

    async def call(self, tool: str, *, owner: str = OWNER, **arguments: Any) -> Outcome:
        """Call a tool as `owner` directly on the engine, without MCP."""
        contract, graph = TOOLS[tool]
        request = parse_request(contract, arguments)
        wire = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return await self.engine.call(Call(tool, load_graph(graph), wire, Caller(owner)))

    async def time_parts(self, work: Work, times: int) -> tuple[list[float], float, float]:
        """Time a work after a warm-up; return its times, and the means of embedding and database.

        All are milliseconds.
        """
        for _ in range(WARM_UP):
            await work()
        self.embedder.seconds = self.database.seconds = 0.0
        taken = [await time_once(work) for _ in range(times)]
        embedding, database = self.embedder.seconds, self.database.seconds
        return taken, embedding * 1000 / times, database * 1000 / times


@asynccontextmanager
async def bench_engine(
    llm: LanguageModel | None = None, **flags: Any
) -> AsyncIterator[BenchEngine]:
    """Yield an engine on a fresh embedded database with default durability.

    The language model answers instantly unless another is given; flags are settings.
    """
    given = {"user": OWNER, "decay_hours": 0, "cluster_hours": 0, **flags}
    async with temporary_database(**given) as (settings, access):
        embedder = choose_embedder(settings)
        async with open_engine(
            settings, access=access, llm=llm or InstantLlm(), embedder=embedder
        ) as engine:
            prepared = BenchEngine(engine, access)
            yield prepared
            await prepared.database.close()


def own_thread() -> RunnableConfig:
    """Return the configuration of a new thread, whose steps are saved for OWNER."""
    saving_for.set(OWNER)
    return {"configurable": {"thread_id": f"{OWNER}/{uuid4()}"}}


async def execute(access: Access, statement: str) -> None:
    """Execute a statement as the database's admin, outside of a transaction."""
    connecting = psycopg.AsyncConnection.connect(access.admin, autocommit=True)
    async with await connecting as connection:
        await connection.execute(statement.encode())
