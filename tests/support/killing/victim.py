"""A process that makes one call through the guillotine, and says so once it is answered.

It is forked from a server that has loaded everything, so that a kill costs no start.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.fork import Fork
from reasonloom.graphs.runs.resume import find_run, resume_run
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database, Transaction, Values
from reasonloom.stores.pipelines import Opening
from reasonloom.stores.runs import runs
from tests.support.killing.guillotine import named_point
from tests.support.llms.scripted_replies import scripted_reply

for _graph in ("analyze", "auto", "backtrack", "breakdown", "checkpoint_create",
               "consolidate_memories", "conversation_log", "create_model",
               "divergent", "got_aggregate", "got_finalize", "got_generate", "got_prune",
               "got_refine", "got_run", "got_score", "linear", "memory_add", "ponder",
               "predict_with_model", "reflection", "reflection_evaluate", "remember",
               "resolve_prediction", "revise_model", "session_end", "tree",
               "tree_complete"):  # fmt: skip
    load_graph(_graph)  # loaded before the fork

EMBEDDER = choose_embedder(Settings())
BEGUN, CALL, TOLD = "begun", "call", "acknowledgement"
"""Points that are no round trip: the database is open; the llm is paid; the caller is told."""

PRICE = 0.0001
"""US dollars a call."""

LEASE = 15.0
"""Seconds; the test moves time on by itself, see `Arena.time_passes`."""


@dataclass
class PaidLlm:
    """A language model whose every answer is written down in a file before it is given."""

    book: Path
    bell: int = 0
    name: str = "paid"
    offline: bool = False

    async def answer(self, ask: Ask) -> Reply:
        """Charge for an answer, and give it."""
        async with named_point(self.bell, CALL):
            with self.book.open("a") as book:
                book.write("paid\n")
        answer = scripted_reply(ask)
        return Reply(json.dumps(answer), answer, self.name, Usage(10, 5, PRICE))

    async def close(self) -> None:
        """Do nothing."""


ENDS_A_RUN = text("""SELECT
    (SELECT count(*) FROM runs WHERE status = 'done' AND xmin::text::bigint = now.id)
    + (SELECT count(*) FROM basin_runs WHERE xmin::text::bigint = now.id)
    FROM (SELECT txid_current() % (2^32)::bigint AS id) now""")
"""Whether a transaction ends a run, or a look at clusters."""


LATE = 0.5
"""Seconds by which a hasty commit comes after the caller was told."""


class HastyDatabase(Database):
    """A planted fault: it says that what ends a run is committed before it is."""

    @asynccontextmanager
    async def _connected(self, opening: Opening, bound: Values) -> AsyncIterator[Transaction]:
        connection = await self._connect(opening)
        assert connection.sync_connection
        driver: Any = connection.sync_connection.connection.driver_connection
        driver.end_with_next = lambda: None  # what commits is this class alone
        tx = Transaction(driver, bound)
        yield tx
        if await tx.number(ENDS_A_RUN):
            self.late = asyncio.create_task(self._commit_late(connection, driver))
            return
        await driver.commit()
        await connection.close()

    async def _commit_late(self, connection: AsyncConnection, driver: Any) -> None:
        await asyncio.sleep(LATE)
        await driver.commit()
        await connection.close()


@dataclass(frozen=True)
class Order:
    """What a victim is to do: a call, where the database is, and where to write."""

    conninfo: str
    bell: int
    owner: str
    tool: str
    graph: str
    request: dict[str, Any]
    make: Make
    book: Path
    answer: Path
    lease: float = LEASE
    hasty: bool = False


Make = Callable[[Engine, Order], Awaitable[dict[str, Any]]]
"""Makes the call of an order on an engine, or makes it again; returns the answer."""


def obey(order: Order) -> None:
    """Make the call of an order and write down its answer: the caller has been told."""
    asyncio.run(_obey(order))


async def _obey(order: Order) -> None:
    settings = Settings(user=order.owner, lease_seconds=order.lease)
    access = Access(admin=order.conninfo, app=order.conninfo)
    llm = PaidLlm(order.book, order.bell)
    async with open_engine(
        settings, access=access, llm=llm, embedder=EMBEDDER, recover=False
    ) as engine:
        if order.hasty:
            engine.loom = replace(engine.loom, database=HastyDatabase(access))
        async with named_point(order.bell, BEGUN):
            pass
        outcome = await order.make(engine, order)
        async with named_point(order.bell, TOLD):
            order.answer.write_text(json.dumps(outcome))
        await asyncio.sleep(2 * LATE if order.hasty else 0)


async def call(engine: Engine, order: Order) -> dict[str, Any]:
    """Make an order's call with its key; the same answer each time."""
    outcome = await engine.call(
        Call(
            tool=order.tool,
            graph=load_graph(order.graph),
            request=order.request,
            caller=Caller(order.owner),
            key="the key",
        )
    )
    return outcome.answer


async def fork(engine: Engine, order: Order) -> dict[str, Any]:
    """Fork the run that an order names, or finish the fork of it that is there."""
    caller = Caller(order.owner)
    origin = await find_run(engine, caller, order.request["run"])
    async with engine.loom.database.begin(caller) as tx:
        known = [each for each in await runs.newest(tx, 10) if each.fork]
    if not known:
        outcome = await engine.fork(caller, origin, Fork(order.request["at"]))
        return outcome.answer
    if known[0].status != runs.DONE:
        return (await resume_run(engine, caller, str(known[0].id))).answer
    return dict((known[0].output or {})["answer"])
