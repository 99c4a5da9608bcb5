"""Owners may move between databases: the one that an owner leaves knows where to."""

from alembic import op

from reasonloom.stores.migrations.rls import APP_ROLE, OWNER, RECOVERY, shut

revision = "0023"
down_revision = "0021"

MOVES = """
CREATE TABLE owner_moves (
    owner text PRIMARY KEY,
    destination text NOT NULL,
    epoch bigint NOT NULL CHECK (epoch > 0),
    state text NOT NULL CHECK (state IN ('copying', 'moved', 'gone')),
    started_at timestamptz NOT NULL DEFAULT now(),
    moved_at timestamptz
)
"""
ENTER = """
CREATE FUNCTION enter_owner(entering text, known bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = reasonloom, pg_temp AS $$
DECLARE
    found_move owner_moves;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(entering, 23));
    SELECT * INTO found_move FROM owner_moves WHERE owner = entering AND epoch > known
        AND entering IN (current_setting('app.owner', true), current_setting('app.host', true));
    IF found_move.state = 'copying' THEN
        RAISE NOTICE 'the owner is being moved' USING ERRCODE = '01R01', DETAIL = entering;
    ELSIF FOUND THEN
        RAISE EXCEPTION 'the owner has moved' USING ERRCODE = '57R01',
            DETAIL = found_move.epoch || ' ' || found_move.destination || ' ' || entering;
    END IF;
END $$
"""
"""The lock is held until the transaction ends: the last step of a move waits for it, and whoever
waits for that step reads its outcome, since each statement here has a snapshot of its own. It runs
as the tables' owner, since a caller in a shared space may not read the moves of its host."""
LOOKED_UP = "CREATE POLICY looked_up ON owner_moves FOR SELECT TO CURRENT_USER USING (true)"


def upgrade() -> None:
    """Create the table, which the app only reads, and the function."""
    for statement in (MOVES, *shut("owner_moves", f"{OWNER} OR {RECOVERY}"), LOOKED_UP, ENTER):
        op.execute(statement)
    op.execute(f"REVOKE INSERT, UPDATE, DELETE ON owner_moves FROM {APP_ROLE}")
