"""What many new rows leave to be done is done as often as it is needed.

A list of words that wait to be indexed costs each look-up, so it is emptied after each load. What
the planner knows of a table is gathered anew only where the table has grown by half since: with
many memories that takes seconds, and little changes from one load to the next.
"""

from alembic import op

revision = "0012"
down_revision = "0011"

SETTLE = """
CREATE OR REPLACE FUNCTION settle_words() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = reasonloom, pg_temp AS $$
DECLARE
    grown text;
BEGIN
    PERFORM gin_clean_pending_list('memories_by_word'),
        gin_clean_pending_list('memories_by_context_word');
    FOREACH grown IN ARRAY ARRAY['memories', 'chunks', 'terms'] LOOP
        IF (SELECT pg_relation_size(oid) > 1.5 * relpages * current_setting('block_size')::bigint
            FROM pg_class WHERE oid = grown::regclass) THEN
            EXECUTE 'ANALYZE ' || grown;
        END IF;
    END LOOP;
END $$
"""


def upgrade() -> None:
    """Let the function look first whether there is anything to gather."""
    op.execute(SETTLE)
