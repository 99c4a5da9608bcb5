"""The statements that restrict a table's rows to the owner set by the transaction."""

OWNER = "owner = (SELECT nullif(current_setting('app.owner', true), ''))"
SPACE = "space = (SELECT coalesce(current_setting('app.space', true), ''))"
RECOVERY = "(SELECT current_setting('app.recovery', true)) = 'on'"
APP_ROLE = "reasonloom_app"


def reached(right: str) -> str:
    """Return the owner whose rows a transaction may use by `right`: its own, or a granting one.

    A transaction that sets `app.host` works in another owner's space, by a grant that is looked up
    once for each statement.
    """
    return (
        "(SELECT CASE WHEN coalesce(current_setting('app.host', true), '') = '' "
        "THEN nullif(current_setting('app.owner', true), '') "
        f"ELSE reached_owner('{right}') END)"
    )


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


def share(table: str, form: str, *, write: str, insert: str | None = None) -> list[str]:
    """Return the statements that open a table's rows to those who have a right on their space.

    `form` is the condition with `{owner}` for the owner reached; rows are seen by any right,
    changed by `write`, and added by `write` or under the condition `insert`.
    """
    seen, changed = (form.format(owner=reached(each)) for each in ("read", write))
    added = insert or changed
    return [
        f"DROP POLICY IF EXISTS owners_rows ON {table}",
        f"CREATE POLICY owners_rows ON {table} FOR SELECT USING ({seen})",
        f"CREATE POLICY owners_additions ON {table} FOR INSERT WITH CHECK ({added})",
        f"CREATE POLICY owners_changes ON {table} FOR UPDATE USING ({changed}) "
        f"WITH CHECK ({changed})",
        f"CREATE POLICY owners_removals ON {table} FOR DELETE USING ({changed})",
    ]
