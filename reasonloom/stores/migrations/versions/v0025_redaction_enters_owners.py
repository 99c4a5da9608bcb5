"""Redaction in runs of others waits while their owners move, and is refused once they have."""

from alembic import op

from reasonloom.stores.migrations.versions.v0021_grants import REDACT_SHARED

revision = "0025"
down_revision = "0023"

AS_PERSON = "PERFORM set_config('app.owner', person, true);"
ENTERED = """PERFORM pg_advisory_xact_lock_shared(hashtextextended(person, 23));
        IF EXISTS (SELECT FROM owner_moves WHERE owner = person AND state = 'moved') THEN
            RAISE EXCEPTION 'an owner is being moved' USING ERRCODE = '57R02';
        END IF;
        """
"""As `enter_owner` does: the last step of a move waits for this lock, and copies what is redacted
before it; after it the rows here are only deleted still."""


def upgrade() -> None:
    """Let the function enter each person whose runs it redacts."""
    op.execute(
        REDACT_SHARED.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1).replace(
            AS_PERSON, ENTERED + AS_PERSON, 1
        )
    )
