"""`/graphs` and `/graph/{id}`: the list, and one Graph of Thoughts with a replay."""

from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from nicegui import ui

from reasonloom.errors import GraphNotFound
from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.nodes.thought_graph.graph import read_graph as read_whole
from reasonloom.nodes.thought_graph.picture import graph_drawing
from reasonloom.stores import overview
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.thought_graph import thought_graphs
from reasonloom.stores.thought_graph.thought_graphs import ListedGraph
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.thought_graph.graph_parts import node_panel, node_table
from reasonloom.studio.widgets.elements import (
    Cell,
    drawing,
    empty_state,
    facts,
    heading,
    prose,
    short_moment,
    table,
    tag,
)
from reasonloom.studio.widgets.forms import PAGE_SIZE, page_offset, paging
from reasonloom.studio.widgets.live import DETAIL, Live, Region
from reasonloom.text.shortening import shortened

NO_GRAPHS = "reasonloom graph run --help"
MAX_PROBLEM = 110


async def build_graphs(visit: Visit) -> None:
    """Draw the list."""
    async with visit.context.begin() as tx:
        total = await thought_graphs.count(tx)
        rows = await thought_graphs.page(tx, PAGE_SIZE, page_offset(visit))
    heading("Graphs", "Graphs of Thoughts: thoughts that were generated, scored, joined, refined.")
    if not total:
        empty_state(
            "No graphs yet",
            "A plan creates one, or the tool reasoning_got_init:",
            command=NO_GRAPHS,
        )
        return
    heads = ("graph", "problem", "#nodes", "#pruned", "#best score", "state", "last written")
    table(f"{total:,} in total. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/graphs", total, export="graphs")


def _row(row: ListedGraph) -> tuple[Cell | str, ...]:
    state = ("finalized", "good") if row.finalized else ("open", "own")
    return (
        Cell(f"#{row.session}.{row.number}", href=f"/graph/{row.id}"),
        shortened(row.problem or "", MAX_PROBLEM) or "–",
        f"{row.nodes:,}",
        f"{row.pruned:,}",
        "–" if row.best is None else f"{row.best:.2f}",
        Cell(state[0], mark=state[1]),
        Cell(short_moment(row.updated_at), look="studio-quiet"),
    )


GRAPHS = StudioPage("/graphs", "Graphs", "reasoning", build_graphs, "/graphs", icon="hub")


async def build_graph(visit: Visit) -> None:
    """Draw the graph, redrawn as it changes."""
    await GraphView(visit, visit.uuid(GraphNotFound)).begin()


@dataclass
class GraphView:
    """One open page; `visible` is the number of nodes drawn, None for all."""

    visit: Visit
    id: UUID
    visible: int | None = None
    chosen: UUID | None = None
    graph: ThoughtGraph = field(init=False)
    head: Region = field(init=False)
    board: Region = field(init=False)
    panel: Region = field(init=False)
    nodes: Region = field(init=False)

    async def begin(self) -> None:
        """Draw it, and follow changes."""
        self.head = Region()
        self.board = Region("studio-card")
        self.panel, self.nodes = Region("studio-card"), Region()
        mark = partial(self.visit.context.read, overview.graph_mark, self.id)
        await Live(mark, self._draw).begin()

    async def _draw(self) -> None:
        self.graph = await self.visit.context.read(read_whole, str(self.id))
        if self.chosen not in self.graph.by_id:
            self.chosen = max(self.graph.nodes, key=lambda node: node.score or 0).id
        with self.head.anew():
            _facts(self.graph)
        with self.board.anew():
            self._board()
        self._panel()
        with self.nodes.anew():
            node_table(self.graph, self._open)

    def _board(self) -> None:
        chosen = str(self.chosen) if self.chosen else None
        state = {"chosen": chosen, "visible": self.visible}
        drawn = drawing("loom-graph", graph_drawing(self.graph) | state)
        drawn.on("choose", lambda event: self._open(event.args), js_handler=DETAIL)
        drawn.on("replay", lambda event: self._replay(int(event.args)), js_handler=DETAIL)

    def _replay(self, visible: int) -> None:
        self.visible = None if visible >= len(self.graph.nodes) else visible

    def _open(self, node: str) -> None:
        wanted = parse_uuid(node)
        if wanted in self.graph.by_id:
            self.chosen = wanted
            self._panel()

    def _panel(self) -> None:
        with self.panel.anew():
            node_panel(self.graph, self.graph.by_id[self.chosen or self.graph.root.id])


MAX_HEADING = 200


def _facts(graph: ThoughtGraph) -> None:
    row = graph.row
    heading(f"Graph {row.number}", shortened(graph.problem, MAX_HEADING))
    facts(
        {
            "Nodes": f"{len(graph.nodes):,}",
            "Taking part": f"{len(graph.active):,}",
            "Edges": f"{len(graph.edges):,}",
            "Deep at most": f"{row.max_depth}",
            "Wide at most": f"{row.max_branches}",
            "Pruned below": f"{row.prune_threshold:g}",
            "State": "finalized" if row.finalized_at else "open",
            "Session": ("open", f"/session/{row.session_id}"),
        }
    )
    if len(graph.problem) > MAX_HEADING:
        with ui.element("details").classes("studio-fold"):
            tag("summary", "The whole problem")
            prose(graph.problem)


GRAPH = StudioPage("/graph/{id}", "Graph", "reasoning", build_graph, "/graphs")
