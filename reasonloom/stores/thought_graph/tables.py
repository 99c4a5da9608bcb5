"""The tables of Graphs of Thoughts as SQLAlchemy sees them: graphs, nodes, edges, prunings."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKeyConstraint, Integer, PrimaryKeyConstraint, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from reasonloom.stores.sessions.tables import EMPTY, OF_SESSION
from reasonloom.stores.tables import NOW, Table

OF_GRAPH = (["owner", "graph_id"], ["thought_graphs.owner", "thought_graphs.id"])
OF_PRUNING = (["owner", "pruning_id"], ["graph_prunings.owner", "graph_prunings.id"])
NODE = ["graph_nodes.owner", "graph_nodes.id"]


class ThoughtGraph(Table):
    """One Graph of Thoughts of a session, with the limits it was made with."""

    __tablename__ = "thought_graphs"
    owner: Mapped[str]
    id: Mapped[UUID]
    session_id: Mapped[UUID]
    number: Mapped[int] = mapped_column(Integer)
    problem: Mapped[str | None]
    max_depth: Mapped[int] = mapped_column(Integer)
    max_branches: Mapped[int] = mapped_column(Integer)
    prune_threshold: Mapped[float]
    conclusion_id: Mapped[UUID | None]
    finalized_at: Mapped[datetime | None]
    run_id: Mapped[UUID | None]
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", server_default=EMPTY)
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    updated_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "session_id", "number"),
        ForeignKeyConstraint(*OF_SESSION, ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["owner", "conclusion_id"],
            ["thoughts.owner", "thoughts.id"],
            ondelete="SET NULL (conclusion_id)",
        ),
    )


class Pruning(Table):
    """One pruning of a graph: it holds the nodes that it took out until it is restored."""

    __tablename__ = "graph_prunings"
    owner: Mapped[str]
    id: Mapped[UUID]
    graph_id: Mapped[UUID]
    number: Mapped[int] = mapped_column(Integer)
    threshold: Mapped[float]
    run_id: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    restored_at: Mapped[datetime | None]
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "graph_id", "number"),
        ForeignKeyConstraint(*OF_GRAPH, ondelete="CASCADE"),
    )


class GraphNode(Table):
    """One thought of a graph; inactive while a pruning or a better refinement holds it."""

    __tablename__ = "graph_nodes"
    owner: Mapped[str]
    id: Mapped[UUID]
    graph_id: Mapped[UUID]
    number: Mapped[int] = mapped_column(Integer)
    node_type: Mapped[str]
    content: Mapped[str]
    depth: Mapped[int] = mapped_column(Integer)
    confidence: Mapped[float]
    score: Mapped[float | None]
    parts: Mapped[dict[str, Any]] = mapped_column(server_default=EMPTY)
    check: Mapped[str] = mapped_column(server_default=text("'none'"))
    is_terminal: Mapped[bool] = mapped_column(server_default=text("false"))
    replaced_by: Mapped[UUID | None]
    pruning_id: Mapped[UUID | None]
    llm: Mapped[str | None]
    run_id: Mapped[UUID | None]
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", server_default=EMPTY)
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "graph_id", "number"),
        ForeignKeyConstraint(*OF_GRAPH, ondelete="CASCADE"),
        ForeignKeyConstraint(*OF_PRUNING),
        ForeignKeyConstraint(["owner", "replaced_by"], NODE),
    )


class GraphEdge(Table):
    """One directed edge between two nodes of a graph."""

    __tablename__ = "graph_edges"
    owner: Mapped[str]
    id: Mapped[UUID]
    graph_id: Mapped[UUID]
    from_node: Mapped[UUID]
    to_node: Mapped[UUID]
    edge_type: Mapped[str]
    weight: Mapped[float]
    reason: Mapped[str | None]
    run_id: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "graph_id", "from_node", "to_node", "edge_type"),
        ForeignKeyConstraint(*OF_GRAPH, ondelete="CASCADE"),
        ForeignKeyConstraint(["owner", "from_node"], NODE, ondelete="CASCADE"),
        ForeignKeyConstraint(["owner", "to_node"], NODE, ondelete="CASCADE"),
    )
