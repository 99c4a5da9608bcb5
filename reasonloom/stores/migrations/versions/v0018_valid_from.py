"""Every memory says since when it holds: from the date that its context states, else its creation.

Memories from before count from their creation, until they are changed.
"""

from alembic import op

revision = "0018"
down_revision = "0017"

COLUMN = """
ALTER TABLE memories ADD COLUMN valid_from timestamptz;
ALTER TABLE memories NO FORCE ROW LEVEL SECURITY;
UPDATE memories SET valid_from = created_at;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
ALTER TABLE memories ALTER COLUMN valid_from SET DEFAULT now(),
    ALTER COLUMN valid_from SET NOT NULL
"""
"""Row-level security is lifted to fill the column; older servers store with its default."""


def upgrade() -> None:
    """Add the column and fill it."""
    for statement in COLUMN.split(";"):
        op.execute(statement)
