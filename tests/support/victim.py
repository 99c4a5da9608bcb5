"""A process that calls one tool through the guillotine, and says so once it is answered.

It is forked from a server that has loaded everything, so that a kill costs no start.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Executable
from sqlalchemy.ext.asyncio import AsyncConnection

import reasonloom.graphs.forget
import reasonloom.graphs.linear
import reasonloom.graphs.recall
import reasonloom.graphs.remember
import reasonloom.graphs.tree  # noqa: F401 - loaded before the fork
from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.engine import Call, Engine
from reasonloom.graphs.graph import load_graph
from reasonloom.llm.embedding.choose import choose_embedder
from reasonloom.llm.port import Ask, Reply, Usage
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database

EMBEDDER = choose_embedder(Settings())
THOUGHT = {"thought": "The kitchen must leave the peanuts out.", "confidence": 0.9}
SUMMARY = {"summary": "Anna runs round the lake.", "confidence": 0.9}
APPROACHES = {
    "approaches": [
        {"name": "Call", "approach": "Call the kitchen about the peanuts."},
        {"name": "Cook", "approach": "Cook at home instead."},
    ]
}
BALLOT = {"scores": [{"label": "A", "score": 0.8}], "best": "A", "reason": "It is safe."}
SAID: dict[str, dict[str, Any]] = {
    "summary": SUMMARY,
    "approaches": APPROACHES,
    "best": BALLOT,
    "viewpoint": {"viewpoint": "Ask the cook to leave the peanuts out.", "confidence": 0.9},
    "verdicts": {"verdicts": [{"constraint": 1, "kept": True, "why": "It leaves them out."}]},
    "synthesis": {"synthesis": "Ask the cook (P1).", "sources": ["P1"]},
}
"""What is said where the schema asks for a key; a thought to all else."""


@dataclass
class PaidLlm:
    """A language model whose every answer is written down in a file before it is given."""

    book: Path
    name: str = "paid"
    offline: bool = False

    async def answer(self, ask: Ask) -> Reply:
        """Charge for an answer, and give it."""
        with self.book.open("a") as book:
            book.write("paid\n")
        wanted = (ask.schema or {}).get("required", ())
        said = next((SAID[name] for name in wanted if name in SAID), THOUGHT)
        if "approach" in ask.material:
            said = {**THOUGHT, "thought": str(ask.material["approach"])}
        return Reply(json.dumps(said), dict(said), self.name, Usage(10, 5, 0.01))

    async def close(self) -> None:
        """Do nothing."""


class HastyDatabase(Database):
    """A planted fault: it says that a transaction is committed before it is."""

    @asynccontextmanager
    async def _connected(
        self, first: Executable, values: dict[str, Any]
    ) -> AsyncIterator[AsyncConnection]:
        connection = await self._connect(first, values)
        yield connection
        self.late = asyncio.create_task(self._commit_late(connection))

    async def _commit_late(self, connection: AsyncConnection) -> None:
        await asyncio.sleep(0.2)
        await connection.commit()
        await connection.close()


@dataclass(frozen=True)
class Order:
    """What a victim is to do: a call, where the database is, and where to write."""

    conninfo: str
    owner: str
    tool: str
    graph: str
    request: dict[str, Any]
    key: str
    book: Path
    answer: Path
    hasty: bool = False


def obey(order: Order) -> None:
    """Make the call of an order and write down its answer: the caller has been told."""
    asyncio.run(_obey(order))


async def _obey(order: Order) -> None:
    settings = Settings(user=order.owner, lease_seconds=0.5)
    access = Access(admin=order.conninfo, app=order.conninfo)
    llm = PaidLlm(order.book)
    async with open_engine(
        settings, access=access, llm=llm, embedder=EMBEDDER, recover=False
    ) as engine:
        if order.hasty:
            engine.loom = replace(engine.loom, database=HastyDatabase(access))
        outcome = await call(engine, order)
        order.answer.write_text(json.dumps(outcome))
        if order.hasty:
            await asyncio.sleep(0.5)


async def call(engine: Engine, order: Order) -> dict[str, Any]:
    """Make an order's call on any engine; return the answer."""
    outcome = await engine.call(
        Call(
            tool=order.tool,
            graph=load_graph(order.graph),
            request=order.request,
            caller=Caller(order.owner),
            key=order.key,
        )
    )
    return outcome.answer
