"""Each different vector once; letters of scripts without spaces; words in context stay true.

Row-level security is lifted while rows are written anew, as for no one else.
"""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, shut

revision = "0004"
down_revision = "0003"

EMBEDDINGS = """
CREATE TABLE embeddings (
    owner text NOT NULL,
    memory_id bigint NOT NULL,
    model text NOT NULL,
    sectors smallint NOT NULL CHECK (sectors BETWEEN 1 AND 31),
    embedding halfvec NOT NULL,
    PRIMARY KEY (owner, memory_id, model, sectors),
    FOREIGN KEY (owner, memory_id) REFERENCES memories (owner, id) ON DELETE CASCADE
)
"""
"""The memory comes before the model: one index serves an owner's scan and a memory's removal."""

MERGED = """
INSERT INTO embeddings (owner, memory_id, model, sectors, embedding)
SELECT owner, memory_id, model, bit_or(CASE sector WHEN 'episodic' THEN 1 WHEN 'semantic' THEN 2
    WHEN 'procedural' THEN 4 WHEN 'emotional' THEN 8 WHEN 'reflective' THEN 16 END), embedding
FROM embeddings_by_sector GROUP BY owner, memory_id, model, embedding
ORDER BY owner, memory_id, model
"""

UNSPACED = (
    r"\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff"
    r"\u3100-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    r"\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Letters of scripts without spaces, or whose words carry endings that no dictionary cuts off:
Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese, Korean."""

UNSPACED_WORDS = rf"""
CREATE FUNCTION unspaced_words(content text, asked boolean) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    -- Pairs of letters, and the letters themselves; a question asks for a single letter only
    -- where it stands alone.
    SELECT coalesce(array_agg(DISTINCT word), '{{}}') FROM (
        SELECT letter, letter || lead(letter) OVER (PARTITION BY run ORDER BY place) AS pair,
            count(*) OVER (PARTITION BY run) = 1 AS alone
        FROM regexp_matches(lower(content), '[{UNSPACED}]+', 'g')
                WITH ORDINALITY AS runs (matched, run),
            unnest(string_to_array(matched[1], NULL)) WITH ORDINALITY AS letters (letter, place)
    ) AS pairs,
        LATERAL (VALUES (pair), (CASE WHEN alone OR NOT asked THEN letter END)) AS words (word)
    WHERE word IS NOT NULL
$$
"""  # noqa: S608 - our own letters, no values

WORDS_OF = rf"""
CREATE FUNCTION words_of(content text, keywords text[], tags text[]) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    -- Stop words take places at which nothing is found: so no phrase spans two keywords.
    written text := left(content, 200000) || ' the the the the ' ||
        array_to_string(keywords || tags, ' the the the the ');
BEGIN
    IF written ~ '[{UNSPACED}]' THEN
        RETURN to_tsvector('english', regexp_replace(written, '[{UNSPACED}]+', ' the ', 'g'))
            || array_to_tsvector(unspaced_words(left(written, 50000), false));
    END IF;
    RETURN to_tsvector('english', written);
END $$
"""
"""Pairs of letters have no places: they are found by, and disturb no phrase."""

ASKED_WORDS = rf"""
CREATE FUNCTION asked_words(question text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN question ~ '[{UNSPACED}]' THEN tsvector_to_array(to_tsvector('english',
            regexp_replace(question, '[{UNSPACED}]+', ' ', 'g'))) || unspaced_words(question, true)
        ELSE tsvector_to_array(to_tsvector('english', question)) END
$$
"""

CONTEXT_OF = """
CREATE FUNCTION context_of(asker text, session uuid, kind text, number bigint, own tsvector)
RETURNS tsvector LANGUAGE plpgsql AS $$
DECLARE
    before tsvector;
    all_words tsvector := own;
BEGIN
    IF kind <> 'derived' AND session IS NOT NULL THEN
        FOR before IN
            SELECT m.words FROM memories m
            WHERE m.owner = asker AND m.session_id = session AND m.id < number
                AND m.deleted_at IS NULL AND m.source_kind <> 'derived'
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

INDEX_WORDS = """
CREATE OR REPLACE FUNCTION index_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words := words_of(NEW.content, NEW.keywords, NEW.tags);
    NEW.context_words :=
        context_of(NEW.owner, NEW.session_id, NEW.source_kind, NEW.id, NEW.words);
    RETURN NEW;
END $$
"""

RENEW_CONTEXT = """
CREATE FUNCTION renew_context() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.session_id IS NOT NULL AND OLD.source_kind <> 'derived' THEN
        PERFORM renew_after(OLD.owner, OLD.session_id, OLD.id);
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.session_id IS DISTINCT FROM OLD.session_id
        AND NEW.source_kind <> 'derived' THEN
        PERFORM renew_after(NEW.owner, NEW.session_id, NEW.id);
    END IF;
    RETURN NULL;
END $$
"""

RENEW_AFTER = """
CREATE FUNCTION renew_after(asker text, session uuid, number bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    -- The two that follow, in the order in which every change takes its rows.
    UPDATE memories SET
        context_words = context_of(owner, session_id, source_kind, id, words)
    WHERE owner = asker AND id IN (SELECT m.id FROM memories m
        WHERE m.owner = asker AND m.session_id = session AND m.id > number
            AND m.deleted_at IS NULL AND m.source_kind <> 'derived'
        ORDER BY m.id LIMIT 2);
END $$
"""

REWORDED = f"""
UPDATE memories SET content = content
WHERE content || array_to_string(keywords || tags, ' ') ~ '[{UNSPACED}]'
"""  # noqa: S608 - our own letters, no values
RENEWED = """
UPDATE memories m SET context_words = fresh.words FROM (
    SELECT owner, id, context_of(owner, session_id, source_kind, id, words) AS words
    FROM memories) fresh
WHERE m.owner = fresh.owner AND m.id = fresh.id AND m.context_words <> fresh.words
"""

CONTEXT_TRIGGERS = (
    """
CREATE TRIGGER context_of_following AFTER UPDATE OF content, keywords, tags, session_id,
    deleted_at ON memories FOR EACH ROW WHEN ((NEW.words, NEW.session_id, NEW.deleted_at)
    IS DISTINCT FROM (OLD.words, OLD.session_id, OLD.deleted_at))
EXECUTE FUNCTION renew_context()
""",
    """
CREATE TRIGGER context_of_following_deleted AFTER DELETE ON memories
FOR EACH ROW WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION renew_context()
""",
)


def upgrade() -> None:
    """Move the vectors, replace what indexes words, and index anew what is stored already."""
    _merge_vectors()
    for statement in (
        UNSPACED_WORDS,
        WORDS_OF,
        ASKED_WORDS,
        CONTEXT_OF,
        INDEX_WORDS,
        RENEW_AFTER,
        RENEW_CONTEXT,
    ):
        op.execute(statement)
    _index_anew()
    for statement in CONTEXT_TRIGGERS:
        op.execute(statement)


def _merge_vectors() -> None:
    op.execute("ALTER TABLE embeddings NO FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE embeddings RENAME TO embeddings_by_sector")
    op.execute("ALTER TABLE embeddings_by_sector DROP CONSTRAINT embeddings_pkey")
    op.execute("ALTER TABLE embeddings_by_sector DROP CONSTRAINT embeddings_owner_memory_id_fkey")
    op.execute(EMBEDDINGS)
    op.execute(MERGED)
    op.execute("DROP TABLE embeddings_by_sector")
    for statement in shut("embeddings", OWNER):
        op.execute(statement)


def _index_anew() -> None:
    """Index scripts without spaces, and words in context that had become stale."""
    for table in ("memories", "terms"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(REWORDED)
    op.execute(RENEWED)
    for table in ("memories", "terms"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
