"""Branches as heads on the tree of thoughts, checkpoints with a session's state, and states left.

The table of checkpoints is `session_checkpoints`: `checkpoints` is LangGraph's own, for saved
steps. A session's root branch has the session's own id, so that a session without any row here
behaves as one with a root branch on which nothing stands yet.
"""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, shut

revision = "0006"
down_revision = "0005"

BRANCHES = """
CREATE TABLE branches (
    owner text NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    number integer NOT NULL,
    name text,
    parent_id uuid,
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'completed', 'abandoned')),
    confidence double precision NOT NULL DEFAULT 0 CHECK (confidence BETWEEN 0 AND 1),
    priority integer NOT NULL DEFAULT 0,
    head_id uuid,
    run_id uuid,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    UNIQUE (owner, session_id, number),
    FOREIGN KEY (owner, session_id) REFERENCES sessions (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, parent_id) REFERENCES branches (owner, id),
    FOREIGN KEY (owner, head_id) REFERENCES thoughts (owner, id) ON DELETE SET NULL (head_id)
)
"""
CHECKPOINTS = """
CREATE TABLE session_checkpoints (
    owner text NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    number integer NOT NULL,
    branch_id uuid NOT NULL,
    head_id uuid,
    name text NOT NULL,
    description text,
    snapshot jsonb NOT NULL,
    run_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    UNIQUE (owner, session_id, number),
    FOREIGN KEY (owner, session_id) REFERENCES sessions (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, branch_id) REFERENCES branches (owner, id),
    FOREIGN KEY (owner, head_id) REFERENCES thoughts (owner, id) ON DELETE SET NULL (head_id)
)
"""
SNAPSHOTS = """
CREATE TABLE state_snapshots (
    owner text NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    cause text NOT NULL,
    state jsonb NOT NULL,
    run_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, session_id) REFERENCES sessions (owner, id) ON DELETE CASCADE
)
"""
BY_SESSION = "CREATE INDEX state_snapshots_by_session ON state_snapshots (owner, session_id)"

NUMBERED = """
UPDATE thoughts t SET position = counted.place FROM (
    SELECT owner, id, row_number() OVER (
        PARTITION BY owner, session_id ORDER BY position, created_at, id) AS place
    FROM thoughts) counted
WHERE t.owner = counted.owner AND t.id = counted.id AND t.position <> counted.place
"""
ROOTS = """
INSERT INTO branches (owner, id, session_id, number, name, head_id, confidence, created_at)
SELECT DISTINCT ON (t.owner, t.session_id)
    t.owner, t.session_id, t.session_id, 0, 'main', t.id, t.confidence, s.created_at
FROM thoughts t JOIN sessions s ON s.owner = t.owner AND s.id = t.session_id
ORDER BY t.owner, t.session_id, t.position DESC
"""
ON_THE_ROOT = "UPDATE thoughts SET branch_id = session_id"
KEYS = (
    "DROP INDEX thoughts_by_session",
    "CREATE UNIQUE INDEX thoughts_by_session ON thoughts (owner, session_id, position)",
    "ALTER TABLE thoughts ADD FOREIGN KEY (owner, branch_id) REFERENCES branches (owner, id)",
    "ALTER TABLE sessions ADD FOREIGN KEY (owner, active_branch_id) "
    "REFERENCES branches (owner, id) ON DELETE SET NULL (active_branch_id)",
)


def upgrade() -> None:
    """Make the tables, give every session that has thoughts its root branch, and shut them."""
    for statement in (BRANCHES, CHECKPOINTS, SNAPSHOTS, BY_SESSION):
        op.execute(statement)
    for table in ("sessions", "thoughts"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    for statement in (NUMBERED, ROOTS, ON_THE_ROOT):
        op.execute(statement)
    for table in ("sessions", "thoughts"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    for statement in KEYS:
        op.execute(statement)
    for table in ("branches", "session_checkpoints", "state_snapshots"):
        for statement in shut(table, OWNER):
            op.execute(statement)
