"""Short ways to think in a session, and to look at it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.sessions import full_sessions
from reasonloom.stores.sessions.full_sessions import FullSession
from tests.support.calls import call


@asynccontextmanager
async def thinking(
    access: Access, embedder: Embedder, llm: LanguageModel, **more: Any
) -> AsyncIterator[Engine]:
    """Yield an engine that thinks with `llm`; without automatic memory unless it is asked for."""
    settings = Settings(**{"lease_seconds": 1.0, "auto_memory": False, **more})
    async with open_engine(settings, access=access, llm=llm, embedder=embedder) as engine:
        yield engine


async def answered(engine: Engine, tool: str, *, owner: str = "local", **arguments: Any) -> Any:
    """Call `reasoning_<tool>` and return its answer."""
    given = {name: value for name, value in arguments.items() if value is not None}
    return (await call(engine, f"reasoning_{tool}", given, owner=owner)).answer


async def whole(engine: Engine, session: str, *, owner: str = "local") -> FullSession:
    """Return a session as it is stored."""
    async with engine.loom.database.begin(Caller(owner)) as tx:
        return await full_sessions.read_full(tx, session)


def lines(session: FullSession) -> dict[str, list[str]]:
    """Return for each branch the contents of the thoughts that lead to its head."""
    known = {each.id: each for each in session.thoughts}
    found: dict[str, list[str]] = {}
    for branch in session.branches:
        way, at = [], branch.head_id
        while at is not None:
            way.append(known[at].content)
            at = known[at].parent_id
        found[str(branch.id)] = way[::-1]
    return found


async def steps(engine: Engine, *contents: str, session: str | None = None) -> str:
    """Think one step after another in a session, a new one where none is named; return it."""
    for content in contents:
        answer = await answered(engine, "linear", content=content, session_id=session)
        session = str(answer["session_id"])
    assert session
    return session


def stored_rows(access: Access) -> list[Any]:
    """Return all rows of sessions and what hangs on them."""
    found: list[Any] = []
    tables = ("branches", "thoughts", "session_checkpoints", "state_snapshots", "memories")
    with psycopg.connect(access.admin) as connection:
        for table in tables:
            found += connection.execute(f"SELECT {table}::text FROM {table}".encode()).fetchall()
        sessions = "SELECT owner, id, active_branch_id FROM sessions ORDER BY 1, 2"
        return found + connection.execute(sessions.encode()).fetchall()
