"""Items of the key-value store; one with a text to find is also a memory."""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, shut

revision = "0020"
down_revision = "0019"

ITEMS = """
CREATE TABLE items (
    owner text NOT NULL,
    namespace text[] COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value json NOT NULL,
    memory_id bigint,
    ttl_minutes double precision CHECK (ttl_minutes >= 0),
    expires_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (owner, namespace, key),
    UNIQUE (owner, memory_id),
    FOREIGN KEY (owner, memory_id) REFERENCES memories (owner, id) ON DELETE CASCADE
)
"""
"""`json` and not `jsonb`, which would change the order of keys and large floats."""

EXPIRING = """
CREATE INDEX items_expiring ON items (owner, expires_at) WHERE expires_at IS NOT NULL
"""


def upgrade() -> None:
    """Create the table; an item goes with its memory."""
    for statement in (ITEMS, EXPIRING, *shut("items", OWNER)):
        op.execute(statement)
