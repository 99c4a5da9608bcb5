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
    -- Stop words take places at which nothing is found: so no phrase spans two keywords.
    NEW.words := to_tsvector('english', left(NEW.content, 200000) || ' the the the the ' ||
        array_to_string(NEW.keywords || NEW.tags, ' the the the the '));
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

HELD = """
SELECT owner, space, 'word' AS kind, unnest(tsvector_to_array(words)) AS term, {n} AS n
FROM {rows} WHERE deleted_at IS NULL AND source_kind <> 'derived'
UNION ALL SELECT owner, space, 'tag', unnest(tags), {n} FROM {rows}
WHERE deleted_at IS NULL AND source_kind <> 'derived'
UNION ALL SELECT owner, space, 'all', '', {n} FROM {rows}
WHERE deleted_at IS NULL AND source_kind <> 'derived'
"""
"""What some rows add to the counts, or take from them."""

COME, GONE = HELD.format(rows="come", n=1), HELD.format(rows="gone", n=-1)
OTHER = """(SELECT {side}.* FROM come JOIN gone USING (owner, id)
    WHERE (come.words, come.tags, come.deleted_at)
    IS DISTINCT FROM (gone.words, gone.tags, gone.deleted_at)) {side}"""
"""Of updated rows only those that hold other words: recalling one changes none."""

CHANGES = {
    "INSERT": ("NEW TABLE AS come", COME),
    "DELETE": ("OLD TABLE AS gone", GONE),
    "UPDATE": (
        "NEW TABLE AS come OLD TABLE AS gone",
        HELD.format(rows=OTHER.format(side="come"), n=1)
        + " UNION ALL "
        + HELD.format(rows=OTHER.format(side="gone"), n=-1),
    ),
}
"""Counted once a statement, not once a row: a bulk load would change one count for each."""

COUNT_TERMS = """
CREATE FUNCTION count_terms_{event}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO terms (owner, space, kind, term, memories)
    SELECT owner, space, kind, term, sum(n) FROM ({changed}) changed
    GROUP BY owner, space, kind, term HAVING sum(n) <> 0 ORDER BY owner, space, kind, term
    ON CONFLICT (owner, space, kind, term)
        DO UPDATE SET memories = greatest(0, terms.memories + excluded.memories);
    RETURN NULL;
END $$
"""
COUNT_TRIGGER = """
CREATE TRIGGER terms_of_memory_{event} AFTER {event} ON memories REFERENCING {tables}
FOR EACH STATEMENT EXECUTE FUNCTION count_terms_{event}()
"""
COUNT_ALL = """
INSERT INTO terms (owner, space, kind, term, memories)
SELECT owner, space, kind, term, sum(n) FROM ({held}) held GROUP BY owner, space, kind, term
"""
WORDS_TRIGGER = """
CREATE TRIGGER words_of_memory BEFORE INSERT OR UPDATE OF content, keywords, tags, session_id
ON memories FOR EACH ROW EXECUTE FUNCTION index_words()
"""


def upgrade() -> None:
    """Add the column, the table and what keeps them, and fill both from what is there."""
    op.execute("ALTER TABLE memories ADD COLUMN context_words tsvector NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE memories ALTER COLUMN words SET DEFAULT ''")
    op.execute(TERMS)
    for statement in (*shut("terms", f"{OWNER} AND {SPACE}"), INDEX_WORDS, WORDS_TRIGGER):
        op.execute(statement)
    op.execute("CREATE INDEX memories_by_context_word ON memories USING gin (context_words)")
    _fill()
    for event, (tables, changed) in CHANGES.items():
        op.execute(COUNT_TERMS.format(event=event, changed=changed))
        op.execute(COUNT_TRIGGER.format(event=event, tables=tables))


def _fill() -> None:
    """Index what was stored before; row-level security is lifted for it, as for no one else."""
    op.execute("ALTER TABLE memories NO FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE terms NO FORCE ROW LEVEL SECURITY")
    op.execute("UPDATE memories SET content = content")
    op.execute(COUNT_ALL.format(held=HELD.format(rows="memories", n=1)))
    op.execute("ALTER TABLE memories FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE terms FORCE ROW LEVEL SECURITY")
