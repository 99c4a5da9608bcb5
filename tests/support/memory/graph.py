"""Graphs put into the database at once: many memories and edges, without their texts' meaning."""

from __future__ import annotations

from collections.abc import Iterable
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


MEMORY = """
INSERT INTO memories (owner, id, event_type, sector, content, confidence, salience, importance,
    token_count, source_kind, principal, tool, effect, decay_rate)
SELECT %s, n, 'fact', 'semantic', 'Memory number ' || n, 1, 0.5, 0.5, 1, 'user', 'local', 'test',
    gen_random_uuid(), 0 FROM generate_series(CAST(%s AS bigint), CAST(%s AS bigint)) n
"""
EDGE = """
INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
VALUES (%s, %s, %s, %s, %s, 'test') ON CONFLICT DO NOTHING
"""

Drawn = tuple[int, int, str, float]
"""An edge: source, target, type, weight."""


def plant(
    access: Access,
    memories: tuple[int, int],
    edges: Iterable[Drawn] = (),
    *,
    owner: str = "local",
    statements: Iterable[str] = (),
) -> None:
    """Store facts of the numbers from the first to the last, then edges, then what `statements` do.

    Past row-level security; triggers fire for edges and statements, but not for the memories, so
    that their words are not counted.
    """
    with psycopg.connect(access.admin) as connection:
        connection.execute(b"SET search_path = reasonloom, public")
        connection.execute(b"SET LOCAL session_replication_role = replica")
        connection.execute(MEMORY.encode(), (owner, *memories))
        connection.execute(b"SET LOCAL session_replication_role = origin")
        with connection.cursor() as cursor:
            cursor.executemany(EDGE.encode(), [(owner, *edge) for edge in edges])
        for statement in statements:
            connection.execute(statement.encode())
