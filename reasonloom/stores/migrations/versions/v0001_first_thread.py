"""Owners, sessions, thoughts, memories with embeddings and edges, runs with their calls."""

from alembic import op

from reasonloom.stores.migrations.rls import APP_ROLE, OWNER, RECOVERY, SPACE, shut

revision = "0001"
down_revision = None

TABLES = """
CREATE TABLE owners (
    owner text PRIMARY KEY,
    last_memory bigint NOT NULL DEFAULT 0,
    last_session bigint NOT NULL DEFAULT 0,
    memory_count bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE sessions (
    owner text NOT NULL,
    id uuid NOT NULL,
    number bigint NOT NULL,
    space text NOT NULL DEFAULT '',
    external_name text,
    project text,
    client text,
    mode text,
    active_branch_id uuid,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    UNIQUE (owner, number),
    UNIQUE (owner, space, external_name)
);
CREATE TABLE thoughts (
    owner text NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    position integer NOT NULL,
    parent_id uuid,
    branch_id uuid,
    mode text NOT NULL,
    input text NOT NULL,
    content text NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    llm text NOT NULL,
    run_id uuid,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, session_id) REFERENCES sessions (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, parent_id) REFERENCES thoughts (owner, id)
);
CREATE INDEX thoughts_by_session ON thoughts (owner, session_id, position);
CREATE TABLE memories (
    owner text NOT NULL,
    id bigint NOT NULL,
    space text NOT NULL DEFAULT '',
    session_id uuid,
    project text,
    event_type text NOT NULL CHECK (event_type IN
        ('fact', 'decision', 'inference', 'correction', 'skill', 'episode')),
    sector text NOT NULL CHECK (sector IN
        ('episodic', 'semantic', 'procedural', 'emotional', 'reflective')),
    content text NOT NULL,
    confidence double precision NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
    strength double precision NOT NULL DEFAULT 1 CHECK (strength BETWEEN 0 AND 1),
    salience double precision NOT NULL CHECK (salience BETWEEN 0 AND 1),
    importance double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
    keywords text[] NOT NULL DEFAULT '{}',
    tags text[] NOT NULL DEFAULT '{}',
    category text,
    context text,
    token_count integer NOT NULL,
    source_kind text NOT NULL CHECK (source_kind IN ('user', 'tool', 'derived', 'transcript')),
    principal text NOT NULL,
    tool text NOT NULL,
    run_id uuid,
    trust double precision NOT NULL DEFAULT 1 CHECK (trust BETWEEN 0 AND 1),
    effect uuid NOT NULL,
    decay_rate double precision NOT NULL,
    access_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_accessed timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    words tsvector NOT NULL,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, effect),
    FOREIGN KEY (owner, session_id) REFERENCES sessions (owner, id)
);
CREATE INDEX memories_by_session ON memories (owner, session_id, id);
CREATE INDEX memories_by_word ON memories USING gin (words);
CREATE TABLE embeddings (
    owner text NOT NULL,
    memory_id bigint NOT NULL,
    sector text NOT NULL,
    model text NOT NULL,
    embedding halfvec NOT NULL,
    PRIMARY KEY (owner, model, sector, memory_id),
    FOREIGN KEY (owner, memory_id) REFERENCES memories (owner, id) ON DELETE CASCADE
);
CREATE INDEX embeddings_by_memory ON embeddings (owner, memory_id);
CREATE TABLE edges (
    owner text NOT NULL,
    source_id bigint NOT NULL,
    target_id bigint NOT NULL,
    type text NOT NULL CHECK (type IN ('caused_by', 'derived_from', 'supports', 'contradicts',
        'supersedes', 'related_to', 'part_of', 'temporal_next')),
    weight double precision NOT NULL CHECK (weight BETWEEN 0 AND 1),
    origin text NOT NULL,
    run_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, source_id, target_id, type),
    FOREIGN KEY (owner, source_id) REFERENCES memories (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, target_id) REFERENCES memories (owner, id) ON DELETE CASCADE
);
CREATE INDEX edges_by_target ON edges (owner, target_id);
CREATE TABLE runs (
    owner text NOT NULL,
    id uuid NOT NULL,
    space text NOT NULL DEFAULT '',
    tool text NOT NULL,
    graph text NOT NULL,
    graph_version smallint NOT NULL,
    status text NOT NULL CHECK (status IN
        ('running', 'done', 'failed', 'cancelled', 'interrupted')),
    input jsonb NOT NULL,
    output jsonb,
    error jsonb,
    session_id uuid,
    key text,
    client text,
    llm text,
    latency_ms double precision,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, tool, key)
);
CREATE INDEX runs_by_time ON runs (owner, created_at);
CREATE TABLE llm_calls (
    owner text NOT NULL,
    run_id uuid NOT NULL,
    node text NOT NULL,
    task text NOT NULL,
    n smallint NOT NULL,
    prompt text NOT NULL,
    prompt_version smallint NOT NULL,
    prompt_hash text NOT NULL,
    llm text NOT NULL,
    model text NOT NULL,
    reply jsonb NOT NULL,
    tokens_in integer NOT NULL,
    tokens_out integer NOT NULL,
    tokens_estimated boolean NOT NULL,
    cost_usd double precision,
    attempts smallint NOT NULL,
    latency_ms double precision NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, run_id, node, task, n),
    FOREIGN KEY (owner, run_id) REFERENCES runs (owner, id) ON DELETE CASCADE
);
CREATE TABLE leases (
    owner text NOT NULL,
    run_id uuid NOT NULL,
    holder uuid NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (owner, run_id),
    FOREIGN KEY (owner, run_id) REFERENCES runs (owner, id) ON DELETE CASCADE
);
"""

POLICIES = {
    "owners": OWNER,
    "sessions": f"{OWNER} AND {SPACE}",
    "thoughts": OWNER,
    "memories": f"{OWNER} AND {SPACE}",
    "embeddings": OWNER,
    "edges": OWNER,
    "runs": OWNER,
    "llm_calls": OWNER,
    "leases": f"{OWNER} OR {RECOVERY}",
}


def upgrade() -> None:
    """Make the tables and shut each of them to all but its owner."""
    for statement in filter(str.strip, TABLES.split(";\n")):
        op.execute(statement)
    for table, condition in POLICIES.items():
        for statement in shut(table, condition):
            op.execute(statement)
    op.execute(f"GRANT SELECT ON alembic_version TO {APP_ROLE}")
