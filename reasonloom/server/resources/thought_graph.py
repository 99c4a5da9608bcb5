"""`reasonloom://graph/{id}`: a Graph of Thoughts as a page with a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.server.resources.kind import Kind, Listed

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.thought_graph.thought_graphs import GraphRow

LONGEST_TITLE = 60


async def read(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a graph.

    Raises:
        GraphNotFound: this caller has none such.
    """
    from reasonloom.nodes.thought_graph.graph import read_graph as read_whole  # noqa: PLC0415 - tools come first
    from reasonloom.server.resources.pages.graph_page import graph_page  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        return graph_page(await read_whole(tx, identifier))


async def newest(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the graphs that were last written to, newest first."""
    from reasonloom.stores.thought_graph import thought_graphs  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        rows = await thought_graphs.newest(tx, most)
    return [Listed(str(row.id), _title(row), row.updated_at) for row in rows]


def _title(row: GraphRow) -> str:
    about = " ".join((row.problem or "").split())
    cut = f"{about[:LONGEST_TITLE]}…" if len(about) > LONGEST_TITLE else about
    return f"Graph {row.number}: {cut}" if cut else f"Graph {row.number}"


GRAPH = Kind(
    name="graph",
    title="A Graph of Thoughts",
    description="Nodes and edges of one graph with scores and checks, drawn and in words.",
    mime_type="text/markdown",
    toolset="reasoning",
    read=read,
    newest=newest,
)
