"""A run's answer may have a reported outcome, from which confidences are recalibrated."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the outcome of a run, and the index that finds the outcomes of a tool."""
    op.execute("ALTER TABLE runs ADD COLUMN outcome real CHECK (outcome BETWEEN 0 AND 1)")
    op.execute(
        "CREATE INDEX runs_outcomes ON runs (owner, tool, created_at) WHERE outcome IS NOT NULL"
    )
