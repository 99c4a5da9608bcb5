"""The dates that a memory names, as terms that a question can ask for.

Memories that were there get the day of their making; what else they name is read when they
are changed.
"""

from alembic import op

revision = "0005"
down_revision = "0004"

OF_MAKING = """
UPDATE memories SET dates = ARRAY[
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'),
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM'),
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY'),
    to_char(created_at AT TIME ZONE 'UTC', '"*"-MM-DD'),
    to_char(created_at AT TIME ZONE 'UTC', '"*"-MM')]
"""


def upgrade() -> None:
    """Add the column, fill it, and index it; row-level security is lifted to fill it."""
    op.execute("ALTER TABLE memories ADD COLUMN dates text[] NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE memories NO FORCE ROW LEVEL SECURITY")
    op.execute(OF_MAKING)
    op.execute("ALTER TABLE memories FORCE ROW LEVEL SECURITY")
    op.execute("CREATE INDEX memories_by_date ON memories USING gin (dates)")
