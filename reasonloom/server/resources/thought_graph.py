"""`reasonloom://graph/{id}`: a Graph of Thoughts as a Markdown page with a chart."""

from collections.abc import Iterator

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.nodes.thought_graph.graph import read_graph as read_full_graph
from reasonloom.nodes.thought_graph.picture import drawing
from reasonloom.server.resources.kind import MAX_TITLE, Listed
from reasonloom.server.resources.markdown import in_markdown, quoted, quoted_start
from reasonloom.stores.thought_graph import thought_graphs
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.stores.thought_graph.thought_graphs import GraphRow

MOST_LISTED = 200
"""Maximum nodes on one page: active ones first, then the newest."""

MAX_THOUGHT = 2_000
"""Maximum characters of each thought."""


async def newest_graph(engine: Engine, caller: Caller, limit: int) -> list[Listed]:
    """Return the most recently updated graphs, newest first."""
    async with engine.loom.database.begin(caller) as tx:
        rows = await thought_graphs.newest(tx, limit)
    return [Listed(str(row.id), _title(row), row.updated_at) for row in rows]


def _title(row: GraphRow) -> str:
    about = " ".join((row.problem or "").split())
    cut = f"{about[:MAX_TITLE]}…" if len(about) > MAX_TITLE else about
    return f"Graph {row.number}: {cut}" if cut else f"Graph {row.number}"


async def read_graph(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a graph; user texts are escaped, and omissions are stated.

    Raises:
        GraphNotFound: the caller has no such graph.
    """
    async with engine.loom.database.begin(caller) as tx:
        graph = await read_full_graph(tx, identifier)
    return "\n\n".join([*_head(graph), "## Nodes", *_nodes(graph)]) + "\n"


def _head(graph: ThoughtGraph) -> Iterator[str]:
    row = graph.row
    yield f"# Graph {row.id}"
    yield (
        f"Number {row.number} of session `{row.session_id}`. Nodes: {len(graph.nodes)}, active: "
        f"{len(graph.active)}, edges: {len(graph.edges)}. At most {row.max_depth} deep and "
        f"{row.max_branches} branches wide; pruned below {row.prune_threshold:g}."
    )
    yield quoted(graph.problem[:MAX_THOUGHT])
    if row.finalized_at:
        yield f"Finalized; its conclusion is thought `{row.conclusion_id}` of the session."
    if cycle := graph.cycle():
        numbers = ", ".join(str(graph.by_id[each].number) for each in cycle)
        yield f"**It has a cycle: nodes {numbers}.**"
    yield f"```mermaid\n{drawing(graph)}\n```"


def _nodes(graph: ThoughtGraph) -> Iterator[str]:
    ordered = sorted(graph.nodes, key=lambda node: (not node.is_active, -node.number))
    for node in sorted(ordered[:MOST_LISTED], key=lambda node: node.number):
        yield from _node(graph, node)
    if len(ordered) > MOST_LISTED:
        yield f"*{len(ordered) - MOST_LISTED:,} more nodes are left out.*"


def _node(graph: ThoughtGraph, node: NodeRow) -> Iterator[str]:
    parents = sorted(graph.by_id[each].number for each in graph.parents[node.id])
    parts = ", ".join(f"{name} {part:.2f}" for name, part in node.parts.items())
    facts = [
        f"score {node.score:.2f} ({node.check}{f': {parts}' if parts else ''})"
        if node.score is not None
        else f"not scored, claims {node.confidence:.2f}",
        f"depth {node.depth}",
        f"from {', '.join(map(str, parents))}" if parents else "",
        "pruned" if node.pruning_id else "",
        f"beaten by {graph.by_id[node.replaced_by].number}" if node.replaced_by else "",
    ]
    yield f"### {node.number}. {node.node_type}"
    yield f"{in_markdown(', '.join(fact for fact in facts if fact))}, `{node.id}`"
    yield from quoted_start(node.content, MAX_THOUGHT)
