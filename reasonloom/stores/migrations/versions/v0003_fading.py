"""When a memory was weakened last, what makes two contents the same, and which spaces there are.

Spaces stand in a table of their own so that a job may go through those of every owner and
still see none of their rows before it names owner and space.
"""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, RECOVERY, shut

revision = "0003"
down_revision = "0002"

SAME_TEXT = r"""
CREATE FUNCTION same_text(content text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(normalize(content, NFC),
        '[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$
"""
"""One form for texts that differ in white space or in how letters are composed alone."""

CONTENT_KEY = """
ALTER TABLE memories ADD COLUMN decayed_at timestamptz,
    ADD COLUMN content_key bigint NOT NULL
    GENERATED ALWAYS AS (hashtextextended(same_text(content), 0)) STORED
"""
BY_CONTENT = "CREATE INDEX memories_by_content ON memories (owner, content_key, space, id)"

SPACES = """
CREATE TABLE spaces (
    owner text NOT NULL,
    space text NOT NULL,
    decayed_at timestamptz,
    PRIMARY KEY (owner, space)
)
"""
NOTE_SPACES = """
CREATE FUNCTION note_spaces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO spaces (owner, space) SELECT DISTINCT owner, space FROM come
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$
"""
SPACES_TRIGGER = """
CREATE TRIGGER spaces_of_memory AFTER INSERT ON memories REFERENCING NEW TABLE AS come
FOR EACH STATEMENT EXECUTE FUNCTION note_spaces()
"""
TERMS_TRIGGER = """
CREATE TRIGGER terms_of_memory_update AFTER UPDATE ON memories
REFERENCING NEW TABLE AS come OLD TABLE AS gone FOR EACH STATEMENT
WHEN (current_setting('app.words_stay', true) IS DISTINCT FROM 'on')
EXECUTE FUNCTION count_terms_update()
"""
"""A transaction that changes no words may say so, and is spared the counting."""

TWIN = """
CREATE FUNCTION twin_of(asker text, place text, session uuid, kind text, source text,
    wanted text, since timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    -- Whoever stores holds the owner's row until it commits: what it stored is seen below.
    PERFORM FROM owners WHERE owner = asker FOR NO KEY UPDATE;
    RETURN (SELECT min(id) FROM memories
        WHERE owner = asker AND space = place
            AND content_key = hashtextextended(same_text(wanted), 0)
            AND session_id = session AND event_type = kind AND source_kind = source
            AND deleted_at IS NULL AND created_at > since
            AND same_text(content) = same_text(wanted));
END $$
"""


def upgrade() -> None:
    """Add columns, table and functions, and note the spaces of what is stored already."""
    for statement in (SAME_TEXT, CONTENT_KEY, BY_CONTENT, SPACES):
        op.execute(statement)
    _fill()
    for statement in (
        *shut("spaces", f"{OWNER} OR {RECOVERY}"),
        NOTE_SPACES,
        SPACES_TRIGGER,
        "DROP TRIGGER terms_of_memory_update ON memories",
        TERMS_TRIGGER,
        TWIN,
    ):
        op.execute(statement)


def _fill() -> None:
    """Note every space; row-level security is lifted for it, as for no one else."""
    op.execute("ALTER TABLE memories NO FORCE ROW LEVEL SECURITY")
    op.execute("INSERT INTO spaces (owner, space) SELECT DISTINCT owner, space FROM memories")
    op.execute("ALTER TABLE memories FORCE ROW LEVEL SECURITY")
