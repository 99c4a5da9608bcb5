"""Graphs of thoughts: graphs of a session, their nodes and edges, and what was pruned.

A node is inactive while a pruning or a better refinement holds it; nothing is ever deleted.
"""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, shut

revision = "0008"
down_revision = "0007"

GRAPHS = """
CREATE TABLE thought_graphs (
    owner text NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    number integer NOT NULL,
    problem text,
    max_depth integer NOT NULL CHECK (max_depth BETWEEN 1 AND 20),
    max_branches integer NOT NULL CHECK (max_branches BETWEEN 1 AND 10),
    prune_threshold double precision NOT NULL CHECK (prune_threshold BETWEEN 0 AND 1),
    conclusion_id uuid,
    finalized_at timestamptz,
    run_id uuid,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    UNIQUE (owner, session_id, number),
    FOREIGN KEY (owner, session_id) REFERENCES sessions (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, conclusion_id) REFERENCES thoughts (owner, id)
        ON DELETE SET NULL (conclusion_id)
)
"""
PRUNINGS = """
CREATE TABLE graph_prunings (
    owner text NOT NULL,
    id uuid NOT NULL,
    graph_id uuid NOT NULL,
    number integer NOT NULL,
    threshold double precision NOT NULL,
    run_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    restored_at timestamptz,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, graph_id, number),
    FOREIGN KEY (owner, graph_id) REFERENCES thought_graphs (owner, id) ON DELETE CASCADE
)
"""
NODES = """
CREATE TABLE graph_nodes (
    owner text NOT NULL,
    id uuid NOT NULL,
    graph_id uuid NOT NULL,
    number integer NOT NULL,
    node_type text NOT NULL CHECK (node_type IN ('thought', 'hypothesis', 'conclusion',
        'aggregation', 'root', 'refinement', 'terminal')),
    content text NOT NULL,
    depth integer NOT NULL CHECK (depth >= 0),
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    score double precision CHECK (score BETWEEN 0 AND 1),
    parts jsonb NOT NULL DEFAULT '{}',
    "check" text NOT NULL DEFAULT 'none'
        CHECK ("check" IN ('none', 'local check', 'judge', 'oracle')),
    is_terminal boolean NOT NULL DEFAULT false,
    replaced_by uuid,
    pruning_id uuid,
    llm text,
    run_id uuid,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    UNIQUE (owner, graph_id, number),
    FOREIGN KEY (owner, graph_id) REFERENCES thought_graphs (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, pruning_id) REFERENCES graph_prunings (owner, id),
    FOREIGN KEY (owner, replaced_by) REFERENCES graph_nodes (owner, id)
)
"""
EDGES = """
CREATE TABLE graph_edges (
    owner text NOT NULL,
    id uuid NOT NULL,
    graph_id uuid NOT NULL,
    from_node uuid NOT NULL,
    to_node uuid NOT NULL,
    edge_type text NOT NULL CHECK (edge_type IN ('generates', 'refines', 'aggregates',
        'supports', 'contradicts')),
    weight double precision NOT NULL CHECK (weight BETWEEN 0 AND 1),
    reason text,
    run_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    UNIQUE (owner, graph_id, from_node, to_node, edge_type),
    FOREIGN KEY (owner, graph_id) REFERENCES thought_graphs (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, from_node) REFERENCES graph_nodes (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, to_node) REFERENCES graph_nodes (owner, id) ON DELETE CASCADE
)
"""
TABLES = ("thought_graphs", "graph_prunings", "graph_nodes", "graph_edges")


def upgrade() -> None:
    """Make the tables and shut them."""
    for statement in (GRAPHS, PRUNINGS, NODES, EDGES):
        op.execute(statement)
    for table in TABLES:
        for statement in shut(table, OWNER):
            op.execute(statement)
