"""Past conversations: projects, transcripts, chunks, what was forgotten, hooks, basins.

A chunk is a memory of the kind `transcript`. Such memories stand by themselves: the words of those
before them are not added to theirs, and they are counted apart, so that ten thousand chunks make no
word of the other memories frequent.
"""

from alembic import op

from reasonloom.stores.migrations.rls import APP_ROLE, OWNER, shut

revision = "0010"
down_revision = "0009"

PROJECTS = """
CREATE TABLE projects (
    owner text NOT NULL,
    slug text NOT NULL,
    path text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, slug)
)
"""
PROJECTS_BY_PATH = (
    "CREATE UNIQUE INDEX projects_by_path ON projects (owner, path) NULLS NOT DISTINCT"
)
TRANSCRIPTS = """
CREATE TABLE transcripts (
    owner text NOT NULL,
    id uuid NOT NULL,
    path text NOT NULL,
    form text NOT NULL,
    position jsonb,
    state jsonb,
    size bigint NOT NULL DEFAULT 0,
    head text,
    skipped jsonb NOT NULL DEFAULT '{}',
    read_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    UNIQUE (owner, path)
)
"""
FORGETS = """
CREATE TABLE forgets (
    owner text NOT NULL,
    number bigint NOT NULL,
    project text NOT NULL,
    asked jsonb NOT NULL,
    chunks bigint NOT NULL,
    forgotten_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, number)
)
"""
CHUNKS = """
CREATE TABLE chunks (
    owner text NOT NULL,
    memory_id bigint NOT NULL,
    key text NOT NULL,
    transcript uuid NOT NULL,
    project text NOT NULL,
    session text NOT NULL,
    agent text,
    first_turn integer NOT NULL,
    last_turn integer NOT NULL,
    ordinal integer NOT NULL DEFAULT 0,
    started_at timestamptz,
    ended_at timestamptz,
    at timestamptz NOT NULL,
    tokens integer NOT NULL,
    continues boolean NOT NULL DEFAULT false,
    files text[] NOT NULL DEFAULT '{}',
    errors text[] NOT NULL DEFAULT '{}',
    names text[] NOT NULL DEFAULT '{}',
    spawns text[] NOT NULL DEFAULT '{}',
    forgotten bigint,
    PRIMARY KEY (owner, memory_id),
    UNIQUE (owner, key),
    FOREIGN KEY (owner, memory_id) REFERENCES memories (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, transcript) REFERENCES transcripts (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, project) REFERENCES projects (owner, slug),
    FOREIGN KEY (owner, forgotten) REFERENCES forgets (owner, number)
)
"""
HOOKS = """
CREATE TABLE hooks (
    owner text NOT NULL,
    hook text NOT NULL,
    ran_at timestamptz NOT NULL,
    succeeded boolean NOT NULL,
    message text NOT NULL,
    milliseconds double precision NOT NULL,
    project text,
    PRIMARY KEY (owner, hook)
)
"""
BASINS = """
CREATE TABLE basins (
    owner text NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    named_by text NOT NULL,
    keywords text[] NOT NULL DEFAULT '{}',
    centroid halfvec NOT NULL,
    model text NOT NULL,
    coherence double precision NOT NULL,
    bound double precision NOT NULL DEFAULT 1,
    formed_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id)
)
"""
BASIN_MEMBERS = """
CREATE TABLE basin_members (
    owner text NOT NULL,
    basin uuid NOT NULL,
    memory_id bigint NOT NULL,
    strength double precision NOT NULL,
    PRIMARY KEY (owner, basin, memory_id),
    FOREIGN KEY (owner, basin) REFERENCES basins (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, memory_id) REFERENCES memories (owner, id) ON DELETE CASCADE
)
"""
BASIN_RUNS = """
CREATE TABLE basin_runs (
    owner text NOT NULL,
    formed_at timestamptz NOT NULL,
    model text NOT NULL,
    memories bigint NOT NULL,
    formed_through bigint NOT NULL,
    joined_through bigint NOT NULL,
    PRIMARY KEY (owner)
)
"""
CLUSTERED = "ALTER TABLE spaces ADD COLUMN clustered_at timestamptz"
INDEXES = (
    "CREATE INDEX memories_of_now ON memories (owner, id) WHERE source_kind <> 'transcript'",
    """CREATE INDEX memories_of_past ON memories (owner, project, id)
    WHERE source_kind = 'transcript'""",
    "CREATE INDEX transcripts_by_head ON transcripts (owner, head)",
    """CREATE INDEX chunks_by_time ON chunks (owner, project, at, memory_id)
    INCLUDE (session, tokens, started_at, ended_at) WHERE forgotten IS NULL""",
    "CREATE INDEX chunks_by_session ON chunks (owner, session text_pattern_ops, at, memory_id)",
    "CREATE INDEX chunks_by_transcript ON chunks (owner, transcript)",
    "CREATE INDEX chunks_forgotten ON chunks (owner, forgotten) WHERE forgotten IS NOT NULL",
    "CREATE INDEX basin_members_by_memory ON basin_members (owner, memory_id)",
)

CONTEXT_OF = """
CREATE OR REPLACE FUNCTION context_of(
    asker text, session uuid, kind text, number bigint, own tsvector)
RETURNS tsvector LANGUAGE plpgsql AS $$
DECLARE
    before tsvector;
    all_words tsvector := own;
BEGIN
    IF kind NOT IN ('derived', 'transcript') AND session IS NOT NULL THEN
        FOR before IN
            SELECT m.words FROM memories m
            WHERE m.owner = asker AND m.session_id = session AND m.id < number
                AND m.deleted_at IS NULL AND m.source_kind NOT IN ('derived', 'transcript')
            ORDER BY m.id DESC LIMIT 2
        LOOP
            IF pg_column_size(all_words) + pg_column_size(before) < 100000 THEN
                all_words := all_words || before;
            ELSE
                BEGIN
                    all_words := all_words || before;
                EXCEPTION WHEN program_limit_exceeded THEN
                    NULL;  -- a tsvector must stay below a megabyte
                END;
            END IF;
        END LOOP;
    END IF;
    RETURN all_words;
END $$
"""
RENEW_CONTEXT = """
CREATE OR REPLACE FUNCTION renew_context() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.session_id IS NOT NULL AND OLD.source_kind NOT IN ('derived', 'transcript') THEN
        PERFORM renew_after(OLD.owner, OLD.session_id, OLD.id);
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.session_id IS DISTINCT FROM OLD.session_id
        AND NEW.source_kind NOT IN ('derived', 'transcript') THEN
        PERFORM renew_after(NEW.owner, NEW.session_id, NEW.id);
    END IF;
    RETURN NULL;
END $$
"""
RENEW_AFTER = """
CREATE OR REPLACE FUNCTION renew_after(asker text, session uuid, number bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    -- The two that follow, in the order in which every change takes its rows.
    UPDATE memories SET
        context_words = context_of(owner, session_id, source_kind, id, words)
    WHERE owner = asker AND id IN (SELECT m.id FROM memories m
        WHERE m.owner = asker AND m.session_id = session AND m.id > number
            AND m.deleted_at IS NULL AND m.source_kind NOT IN ('derived', 'transcript')
        ORDER BY m.id LIMIT 2);
END $$
"""

KINDS = "('word', 'tag', 'all', 'transcript_word', 'transcript_all')"
TERM_KINDS = (
    "ALTER TABLE terms DROP CONSTRAINT terms_kind_check",
    f"ALTER TABLE terms ADD CONSTRAINT terms_kind_check CHECK (kind IN {KINDS})",
)
APART = "CASE source_kind WHEN 'transcript' THEN 'transcript_' ELSE '' END"
COUNTED = "deleted_at IS NULL AND source_kind <> 'derived'"
HELD = f"""
SELECT owner, space, {APART} || 'word' AS kind, unnest(tsvector_to_array(words)) AS term,
    {{n}} AS n FROM {{rows}} WHERE {COUNTED}
UNION ALL SELECT owner, space, 'tag', unnest(tags), {{n}} FROM {{rows}}
WHERE {COUNTED} AND source_kind <> 'transcript'
UNION ALL SELECT owner, space, {APART} || 'all', '', {{n}} FROM {{rows}} WHERE {COUNTED}
"""  # noqa: S608 - our own conditions, no values
"""What some rows add to the counts, or take from them."""

OTHER = """(SELECT {side}.* FROM come JOIN gone USING (owner, id)
    WHERE (come.words, come.tags, come.deleted_at)
    IS DISTINCT FROM (gone.words, gone.tags, gone.deleted_at)) {side}"""
CHANGES = {
    "insert": HELD.format(rows="come", n=1),
    "delete": HELD.format(rows="gone", n=-1),
    "update": HELD.format(rows=OTHER.format(side="come"), n=1)
    + " UNION ALL "
    + HELD.format(rows=OTHER.format(side="gone"), n=-1),
}
COUNT_TERMS = """
CREATE OR REPLACE FUNCTION count_terms_{event}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO terms (owner, space, kind, term, memories)
    SELECT owner, space, kind, term, sum(n) FROM ({changed}) changed
    GROUP BY owner, space, kind, term HAVING sum(n) <> 0 ORDER BY owner, space, kind, term
    ON CONFLICT (owner, space, kind, term)
        DO UPDATE SET memories = greatest(0, terms.memories + excluded.memories);
    RETURN NULL;
END $$
"""
OF_TRANSCRIPTS = "(SELECT * FROM memories WHERE source_kind = 'transcript') m"
MOVED = f"""
INSERT INTO terms (owner, space, kind, term, memories)
SELECT owner, space, kind, term, sum(n) FROM (
    {HELD.format(rows=OF_TRANSCRIPTS, n=1)}
    UNION ALL SELECT owner, space, 'word', unnest(tsvector_to_array(words)), -1
        FROM {OF_TRANSCRIPTS} WHERE {COUNTED}
    UNION ALL SELECT owner, space, 'tag', unnest(tags), -1 FROM {OF_TRANSCRIPTS} WHERE {COUNTED}
    UNION ALL SELECT owner, space, 'all', '', -1 FROM {OF_TRANSCRIPTS} WHERE {COUNTED}) moved
GROUP BY owner, space, kind, term
ON CONFLICT (owner, space, kind, term)
    DO UPDATE SET memories = greatest(0, terms.memories + excluded.memories)
"""  # noqa: S608 - our own conditions, no values

SETTLE = (
    """
CREATE FUNCTION settle_words() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = reasonloom, pg_temp AS $$
BEGIN
    PERFORM gin_clean_pending_list('memories_by_word'),
        gin_clean_pending_list('memories_by_context_word');
    ANALYZE memories, chunks, terms;
END $$
""",
    "REVOKE ALL ON FUNCTION settle_words() FROM PUBLIC",
    f"GRANT EXECUTE ON FUNCTION settle_words() TO {APP_ROLE}",
)
"""What many new rows leave to be done, done now: else each look-up of a word reads through all that
wait to be indexed, and plans are made for a table of a few rows. It runs as the tables' owner, who
alone may do so, and shows nobody anything."""


def upgrade() -> None:
    """Add tables and indexes, let transcripts stand alone, and count what is there apart."""
    tables = (PROJECTS, TRANSCRIPTS, FORGETS, CHUNKS, HOOKS, BASINS, BASIN_MEMBERS, BASIN_RUNS)
    for statement in (*tables, CLUSTERED, PROJECTS_BY_PATH, *INDEXES, *TERM_KINDS):
        op.execute(statement)
    for statement in (CONTEXT_OF, RENEW_CONTEXT, RENEW_AFTER, *SETTLE):
        op.execute(statement)
    for event, changed in CHANGES.items():
        op.execute(COUNT_TERMS.format(event=event, changed=changed))
    for table in (
        "projects", "transcripts", "forgets", "chunks", "hooks", "basins", "basin_members",
        "basin_runs",
    ):  # fmt: skip
        for statement in shut(table, OWNER):
            op.execute(statement)
    _count_apart()


def _count_apart() -> None:
    """Move the counts of transcripts that were imported; row-level security is lifted for it."""
    for table in ("memories", "terms"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute("UPDATE memories SET content = content WHERE source_kind = 'transcript'")
    op.execute(MOVED)
    for table in ("memories", "terms"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
