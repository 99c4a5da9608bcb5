"""Short ways to grow a Graph of Thoughts, and to look at every row of one."""

from __future__ import annotations

from typing import Any

import psycopg

from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.reasoning.sessions import answered

TABLES = ("thought_graphs", "graph_nodes", "graph_edges", "graph_prunings", "thoughts")
STAMPS = {"thought_graphs": "updated_at"}


async def begun(engine: Engine, content: str = "The band is loud", **more: Any) -> Any:
    """Begin a graph; return the answer."""
    return await answered(engine, "got_init", content=content, **more)


async def grown(engine: Engine, k: int = 3, **more: Any) -> tuple[str, list[str]]:
    """Begin a graph and let its root be continued; return its id and those of its nodes."""
    graph = await begun(engine, **more)
    owner = {"owner": more["owner"]} if "owner" in more else {}
    made = await answered(
        engine, "got_generate", graph_id=graph["graph_id"], node_id=graph["root_node_id"], k=k,
        **owner,
    )  # fmt: skip
    return graph["graph_id"], [graph["root_node_id"], *(node["id"] for node in made["nodes"])]


def everything(access: Access) -> dict[str, list[Any]]:
    """Return every row of every table of graphs, but when a graph was held last."""
    with psycopg.connect(access.admin) as connection:
        connection.execute("SET search_path TO reasonloom")
        return {
            table: connection.execute(
                f"SELECT to_jsonb(t) - '{STAMPS.get(table, '')}' AS row FROM {table} t "
                "ORDER BY 1".encode()
            ).fetchall()
            for table in TABLES
        }
