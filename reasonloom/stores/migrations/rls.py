"""The statements that restrict a table's rows to the owner set by the transaction."""

OWNER = "owner = (SELECT nullif(current_setting('app.owner', true), ''))"
SPACE = "space = (SELECT coalesce(current_setting('app.space', true), ''))"
RECOVERY = "(SELECT current_setting('app.recovery', true)) = 'on'"
APP_ROLE = "reasonloom_app"


def shut(table: str, condition: str) -> list[str]:
    """Return the statements that force row-level security on `table` by `condition`.

    A sub-select in the condition is evaluated once and keeps plans the same for every
    owner, so that a cached plan serves all.
    """
    return [
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY owners_rows ON {table} USING ({condition}) WITH CHECK ({condition})",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {APP_ROLE}",
    ]
