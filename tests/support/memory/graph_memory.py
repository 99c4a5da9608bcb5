"""Short ways to build a graph of memories and to look at its rows."""

from __future__ import annotations

from typing import Any

import psycopg

from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import call


async def add(engine: Engine, content: str, *edges: tuple[int, str], **more: Any) -> int:
    """Add a fact, with edges to others; return its number."""
    owner = more.pop("owner", "local")
    arguments = {
        "event_type": "fact",
        "content": content,
        **(
            {"edges": [{"target_id": to, "edge_type": kind} for to, kind in edges]} if edges else {}
        ),
        **more,
    }
    outcome = await call(engine, "memory_add", arguments, owner=owner)
    return int(outcome.answer["node_id"])


def query(access: Access, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a statement, past row-level security."""
    with psycopg.connect(access.admin) as connection:
        connection.execute(b"SET search_path = reasonloom, public")
        return connection.execute(statement.encode(), values).fetchall()


def change(access: Access, statement: str, *values: Any) -> None:
    """Carry out a statement, past row-level security; triggers fire as for everybody."""
    with psycopg.connect(access.admin) as connection:
        connection.execute(b"SET search_path = reasonloom, public")
        connection.execute(statement.encode(), values)
