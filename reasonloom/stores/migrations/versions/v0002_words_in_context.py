"""Words of a memory with those before it, and how many memories hold each word or tag.

The database keeps both by itself, whoever writes: what is searched always fits what is stored.
"""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, SPACE, shut

revision = "0002"
down_revision = "0001"

TERMS = """
CREATE TABLE terms (
    owner text NOT NULL,
    space text NOT NULL DEFAULT '',
    kind text NOT NULL CHECK (kind IN ('word', 'tag', 'all')),
    term text NOT NULL,
    memories bigint NOT NULL,
    PRIMARY KEY (owner, space, kind, term)
)
"""

INDEX_WORDS = """
CREATE FUNCTION index_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE before tsvector;
BEGIN
    NEW.words := to_tsvector('english', left(NEW.content, 200000) || ' ' ||
        array_to_string(NEW.keywords, ' ') || ' ' || array_to_string(NEW.tags, ' '));
    NEW.context_words := NEW.words;
    IF NEW.source_kind <> 'derived' AND NEW.session_id IS NOT NULL THEN
        FOR before IN
            SELECT m.words FROM memories m
            WHERE m.owner = NEW.owner AND m.session_id = NEW.session_id AND m.id < NEW.id
                AND m.deleted_at IS NULL AND m.source_kind <> 'derived'
            ORDER BY m.id DESC LIMIT 2
        LOOP
            NEW.context_words := NEW.context_words || before;
        END LOOP;
    END IF;
    RETURN NEW;
END $$
"""

COUNT_TERMS = """
CREATE FUNCTION count_terms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gone boolean := TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL AND OLD.source_kind <> 'derived';
    come boolean := TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL AND NEW.source_kind <> 'derived';
BEGIN
    IF gone OR come THEN
        INSERT INTO terms (owner, space, kind, term, memories)
        SELECT coalesce(NEW.owner, OLD.owner), coalesce(NEW.space, OLD.space), kind, term, sum(n)
        FROM (
            SELECT 'word' AS kind, unnest(tsvector_to_array(OLD.words)) AS term, -1 AS n WHERE gone
            UNION ALL SELECT 'tag', tag, -1 FROM unnest(OLD.tags) AS tag WHERE gone
            UNION ALL SELECT 'all', '', -1 WHERE gone
            UNION ALL SELECT 'word', unnest(tsvector_to_array(NEW.words)), 1 WHERE come
            UNION ALL SELECT 'tag', tag, 1 FROM unnest(NEW.tags) AS tag WHERE come
            UNION ALL SELECT 'all', '', 1 WHERE come
        ) changed
        GROUP BY kind, term HAVING sum(n) <> 0 ORDER BY kind, term
        ON CONFLICT (owner, space, kind, term)
            DO UPDATE SET memories = greatest(0, terms.memories + excluded.memories);
    END IF;
    RETURN NULL;
END $$
"""

TRIGGERS = (
    "CREATE TRIGGER words_of_memory BEFORE INSERT OR UPDATE OF content, keywords, tags, session_id"
    " ON memories FOR EACH ROW EXECUTE FUNCTION index_words()",
    "CREATE TRIGGER terms_of_memory AFTER INSERT OR DELETE OR UPDATE OF content, keywords, tags,"
    " deleted_at ON memories FOR EACH ROW EXECUTE FUNCTION count_terms()",
)


def upgrade() -> None:
    """Add the column, the table and what keeps them, and fill both from what is there."""
    op.execute("ALTER TABLE memories ADD COLUMN context_words tsvector NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE memories ALTER COLUMN words SET DEFAULT ''")
    op.execute(TERMS)
    for statement in (*shut("terms", f"{OWNER} AND {SPACE}"), INDEX_WORDS, COUNT_TERMS, *TRIGGERS):
        op.execute(statement)
    op.execute("CREATE INDEX memories_by_context_word ON memories USING gin (context_words)")
    _fill()


def _fill() -> None:
    """Index what was stored before; row-level security is lifted for it, as for no one else."""
    op.execute("ALTER TABLE memories NO FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE terms NO FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE memories DISABLE TRIGGER terms_of_memory")
    op.execute("UPDATE memories SET content = content")
    op.execute("ALTER TABLE memories ENABLE TRIGGER terms_of_memory")
    op.execute("""
        INSERT INTO terms (owner, space, kind, term, memories)
        SELECT owner, space, kind, term, count(*) FROM (
            SELECT owner, space, 'word' AS kind, unnest(tsvector_to_array(words)) AS term
            FROM memories WHERE deleted_at IS NULL AND source_kind <> 'derived'
            UNION ALL SELECT owner, space, 'tag', unnest(tags)
            FROM memories WHERE deleted_at IS NULL AND source_kind <> 'derived'
            UNION ALL SELECT owner, space, 'all', ''
            FROM memories WHERE deleted_at IS NULL AND source_kind <> 'derived'
        ) held GROUP BY owner, space, kind, term
    """)
    op.execute("ALTER TABLE memories FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE terms FORCE ROW LEVEL SECURITY")
