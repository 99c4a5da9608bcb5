"""Keys of metadata and of prediction templates that only their callers know are kept."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the columns; rows from before, and those of older servers, have no such keys."""
    op.execute("ALTER TABLE memories ADD COLUMN other_metadata jsonb NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE model_templates ADD COLUMN other_keys jsonb NOT NULL DEFAULT '{}'")
