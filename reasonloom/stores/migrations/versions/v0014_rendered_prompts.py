"""Beside each recorded reply stands what was asked, so that a run can be read."""

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the rendered prompt; calls from before have none."""
    op.execute("ALTER TABLE llm_calls ADD COLUMN messages jsonb")
