"""Memories as a graph: what supersedes what, current sessions, workspaces of memory files.

`superseded_by` is kept by triggers, so that no way of storing, hiding or importing can forget
it. It is the newest, by number, of the memories that supersede a memory, are newer than it,
and are not hidden: so every chain has a head, and the newest of a cycle stays current.
"""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, SPACE, shut

revision = "0009"
down_revision = "0008"

COLUMNS = (
    "ALTER TABLE memories ADD COLUMN superseded_by bigint",
    "ALTER TABLE edges ADD COLUMN reason text",
    "ALTER TABLE sessions ADD COLUMN ended_at timestamptz, ADD COLUMN episode_id bigint",
)
INDEXES = (
    "CREATE INDEX memories_by_time ON memories (owner, created_at, id)",
    "CREATE INDEX memories_by_kind ON memories (owner, event_type, project, id DESC NULLS LAST)",
    "DROP INDEX edges_by_target",
    "CREATE INDEX edges_inward ON edges (owner, target_id, weight DESC, source_id)",
    "CREATE INDEX edges_outward ON edges (owner, source_id, weight DESC, target_id)",
    "CREATE INDEX edges_superseding ON edges (owner, target_id) WHERE type = 'supersedes'",
)
"""A walk takes the heaviest edges of a memory first, however many it has."""

CURRENT_SESSIONS = """
CREATE TABLE current_sessions (
    owner text NOT NULL,
    space text NOT NULL DEFAULT '',
    client text NOT NULL,
    project text NOT NULL,
    session_id uuid NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, space, client, project),
    FOREIGN KEY (owner, session_id) REFERENCES sessions (owner, id) ON DELETE CASCADE
)
"""
WORKSPACES = """
CREATE TABLE workspaces (
    owner text NOT NULL,
    number bigint NOT NULL,
    name text NOT NULL,
    effect uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, number),
    UNIQUE (owner, effect)
)
"""
CONTEXTS = """
CREATE TABLE workspace_contexts (
    owner text NOT NULL,
    workspace bigint NOT NULL,
    number bigint NOT NULL,
    path text NOT NULL,
    role text NOT NULL CHECK (role IN ('primary', 'secondary', 'reference', 'archive')),
    label text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, workspace, number),
    UNIQUE (owner, workspace, path),
    FOREIGN KEY (owner, workspace) REFERENCES workspaces (owner, number) ON DELETE CASCADE
)
"""
NEWEST = """
CREATE FUNCTION newest_superseding(asker text, memory bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT max(e.source_id) FROM edges e
    JOIN memories m ON m.owner = asker AND m.id = e.source_id AND m.deleted_at IS NULL
    WHERE e.owner = asker AND e.target_id = memory AND e.type = 'supersedes'
        AND e.source_id > memory
$$
"""
MARK = """
CREATE FUNCTION mark_superseded(asker text, older bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE memories SET superseded_by = newest_superseding(asker, older)
    WHERE owner = asker AND id = older
        AND superseded_by IS DISTINCT FROM newest_superseding(asker, older)
$$
"""
OF_EDGE = """
CREATE FUNCTION supersede_by_edge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM mark_superseded(OLD.owner, OLD.target_id);
    ELSE
        PERFORM mark_superseded(NEW.owner, NEW.target_id);
    END IF;
    RETURN NULL;
END $$
"""
OF_MEMORY = """
CREATE FUNCTION supersede_by_hiding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mark_superseded(owner, target_id) FROM edges
    WHERE owner = NEW.owner AND source_id = NEW.id AND type = 'supersedes';
    RETURN NULL;
END $$
"""
TRIGGERS = (
    "CREATE TRIGGER supersedes_made AFTER INSERT ON edges FOR EACH ROW "
    "WHEN (NEW.type = 'supersedes') EXECUTE FUNCTION supersede_by_edge()",
    "CREATE TRIGGER supersedes_gone AFTER DELETE ON edges FOR EACH ROW "
    "WHEN (OLD.type = 'supersedes') EXECUTE FUNCTION supersede_by_edge()",
    "CREATE TRIGGER supersedes_hidden AFTER UPDATE OF deleted_at ON memories FOR EACH ROW "
    "WHEN ((NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL)) "
    "EXECUTE FUNCTION supersede_by_hiding()",
)
TWIN = """
CREATE OR REPLACE FUNCTION twin_of(asker text, place text, session uuid, kind text, source text,
    wanted text, since timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    -- Whoever stores holds the owner's row until it commits: what it stored is seen below.
    PERFORM FROM owners WHERE owner = asker FOR NO KEY UPDATE;
    RETURN (SELECT min(id) FROM memories
        WHERE owner = asker AND space = place
            AND content_key = hashtextextended(same_text(wanted), 0)
            AND session_id = session AND event_type = kind AND source_kind = source
            AND deleted_at IS NULL AND superseded_by IS NULL AND created_at > since
            AND same_text(content) = same_text(wanted));
END $$
"""
"""What was corrected and is said again is a new memory."""


def upgrade() -> None:
    """Add columns, tables, indexes and triggers, and mark what is superseded already."""
    for statement in (*COLUMNS, *INDEXES, CURRENT_SESSIONS, WORKSPACES, CONTEXTS):
        op.execute(statement)
    for statement in (NEWEST, MARK, OF_EDGE, OF_MEMORY, *TRIGGERS, TWIN):
        op.execute(statement)
    for table, condition in (
        ("current_sessions", f"{OWNER} AND {SPACE}"),
        ("workspaces", OWNER),
        ("workspace_contexts", OWNER),
    ):
        for statement in shut(table, condition):
            op.execute(statement)
    _fill()


def _fill() -> None:
    """Mark what edges of older days supersede; row-level security is lifted for it."""
    for table in ("memories", "edges"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(
        "UPDATE memories m SET superseded_by = newest_superseding(m.owner, m.id) WHERE EXISTS ("
        "SELECT FROM edges e WHERE e.owner = m.owner AND e.target_id = m.id "
        "AND e.type = 'supersedes')"
    )
    for table in ("memories", "edges"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
