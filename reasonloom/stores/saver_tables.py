"""Makes LangGraph's tables of saved steps, and tells their step."""

from __future__ import annotations

from typing import Any

import psycopg

from reasonloom.stores.migrations.rls import APP_ROLE
from reasonloom.stores.schema import one


def saver_step(connection: psycopg.Connection[Any]) -> int:
    """Return the step of LangGraph's tables, -1 where there are none."""
    if one(connection, "SELECT to_regclass('checkpoint_migrations') IS NULL"):
        return -1
    return int(one(connection, "SELECT coalesce(max(v), -1) FROM checkpoint_migrations"))


def make_saver_tables(admin: str) -> None:
    """Make LangGraph's tables, open to the app's role and shut like all others."""
    from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415

    with PostgresSaver.from_conn_string(admin) as saver:
        saver.setup()
    with psycopg.connect(admin) as connection:  # one transaction: no table without its policy
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            for statement in saver_policy(table):
                connection.execute(statement)
        connection.execute(f"GRANT SELECT ON checkpoint_migrations TO {APP_ROLE}")


def saver_policy(table: str) -> list[str]:
    """Return the statements that shut a table of saved steps; thread = owner/run.

    A run's id has 36 characters, so the owner is all but the last 37, whatever it holds.
    """
    owner = "left(thread_id, -37) = (SELECT nullif(current_setting('app.owner', true), ''))"
    return [
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS owners_rows ON {table}",
        f"CREATE POLICY owners_rows ON {table} USING ({owner}) WITH CHECK ({owner})",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {APP_ROLE}",
    ]
