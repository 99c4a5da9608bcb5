"""A run that was forked from another names it: origin, node, and the prompts' versions."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column; no older run is a fork."""
    op.execute("ALTER TABLE runs ADD COLUMN fork jsonb")
