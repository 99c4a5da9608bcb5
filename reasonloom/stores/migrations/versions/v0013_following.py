"""A memory that is changed while the one after it goes is changed to those that follow then.

The two that follow were looked up once. Where one of them was being removed by somebody else, the
change waited for that, and the memory that moved up kept the old words in its context.
"""

from alembic import op

revision = "0013"
down_revision = "0012"

RENEW_AFTER = """
CREATE OR REPLACE FUNCTION renew_after(asker text, session uuid, number bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    renewed bigint[] := '{}';
    following bigint[];
BEGIN
    LOOP
        following := ARRAY(SELECT m.id FROM memories m
            WHERE m.owner = asker AND m.session_id = session AND m.id > number
                AND m.deleted_at IS NULL AND m.source_kind NOT IN ('derived', 'transcript')
            ORDER BY m.id LIMIT 2);
        EXIT WHEN following <@ renewed;
        -- In the order in which every change takes its rows.
        UPDATE memories SET
            context_words = context_of(owner, session_id, source_kind, id, words)
        WHERE owner = asker AND id = ANY(following);
        renewed := renewed || following;
    END LOOP;
END $$
"""


def upgrade() -> None:
    """Let the function look again after it has waited."""
    op.execute(RENEW_AFTER)
