"""A database filled by an earlier version keeps its embedder until its memories are reindexed."""

from alembic import op

from reasonloom.stores.migrations.rls import APP_ROLE

revision = "0017"
down_revision = "0016"

PINNED = """
CREATE TABLE pinned_embedder (embedder text PRIMARY KEY);
ALTER TABLE embeddings NO FORCE ROW LEVEL SECURITY;
INSERT INTO pinned_embedder SELECT 'wordllama'
WHERE EXISTS (SELECT FROM embeddings WHERE model = 'wordllama-l2_supercat-256');
ALTER TABLE embeddings FORCE ROW LEVEL SECURITY
"""


def upgrade() -> None:
    """Pin the former default where it has embedded memories."""
    for statement in PINNED.split(";"):
        op.execute(statement)
    op.execute(f"GRANT SELECT, DELETE ON pinned_embedder TO {APP_ROLE}")
