"""Creates the queue's tables when they are first needed, and upgrades them."""

import asyncio
from pathlib import Path
from typing import Any

import psycopg
from procrastinate.schema import SchemaManager
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access
from reasonloom.stores.migrations.rls import shut
from reasonloom.stores.provisioning import provisioned
from reasonloom.stores.schema import administrator_errors, one_value
from reasonloom.stores.statements import load

SQL = load(__file__)
SCHEMA = "reasonloom_queue"
STEP = sql.Identifier(SCHEMA, "step")
PATIENCE = 60.0
"""Seconds to wait for another process that changes the schema."""

VISIBLE = "(SELECT current_setting('app.queue', true)) = 'on'"
"""Jobs belong to the whole installation; a transaction of an owner never sets this."""


def queue_conninfo(access: Access) -> str:
    """Return the connection string of the app's role for the queue, past any pooler."""
    options = conninfo_to_dict(access.app).get("options")
    ours = f"{options} -c search_path={SCHEMA} -c app.queue=on"
    return make_conninfo(access.app, options=ours)


async def prepare_queue(access: Access) -> None:
    """Create the queue's tables, or upgrade those of an earlier Procrastinate.

    Raises:
        DatabaseUnavailable: not reachable, busy, or upgraded by a newer version.
        SettingMistake: the login may not create a schema.
    """
    await asyncio.to_thread(_prepare, access)


async def has_queue(access: Access) -> bool:
    """Return whether the queue's tables exist.

    Raises:
        DatabaseUnavailable: not reachable.
    """
    return await asyncio.to_thread(_step, access) is not None


def _prepare(access: Access) -> None:
    if _step(access) == _newest():
        return
    with administrator_errors(), provisioned(access, PATIENCE):
        step = _step(access)
        if step == _newest():
            return  # by another process, whose jobs may run already: its tables are not locked
        if step is not None and step > _newest():
            raise DatabaseUnavailable("a newer version created the queue: update reasonloom")
        with psycopg.connect(access.admin) as connection:
            if step is None:
                connection.execute(SQL.part("create").encode())
            _place(connection)
            for text in [SchemaManager.get_schema().encode()] if step is None else _later(step):
                connection.execute(text)
            if step is None:
                connection.execute(SQL.part("failures").encode())
            _secure(connection)
            connection.execute(SQL.part("note").encode(), (_newest(),))


def _step(access: Access) -> str | None:
    """Return the newest of Procrastinate's migrations that was applied, None if there are none."""
    try:
        with psycopg.connect(access.app, autocommit=True) as connection:
            if one_value(connection, "SELECT to_regclass(%s)", f"{SCHEMA}.step") is None:
                return None
            step: str | None = one_value(connection, sql.SQL("SELECT name FROM {}").format(STEP))
            return step
    except psycopg.OperationalError:
        raise DatabaseUnavailable("the database could not be reached") from None


def _place(connection: psycopg.Connection[Any]) -> None:
    connection.execute(sql.SQL("SET LOCAL search_path = {}").format(sql.Identifier(SCHEMA)))


def _migrations() -> list[Path]:
    return sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))


def _newest() -> str:
    return _migrations()[-1].name


def _later(step: str) -> list[bytes]:
    """Return Procrastinate's migrations after one of them."""
    later = [path for path in _migrations() if path.name > step]
    return [path.read_text("utf-8").encode() for path in later]


def _secure(connection: psycopg.Connection[Any]) -> None:
    """Close every table to transactions of owners, and let the app's role use the queue."""
    for table in connection.execute(SQL.part("tables").encode(), (SCHEMA,)).fetchall():
        name = str(table[0])
        connection.execute(f"DROP POLICY IF EXISTS owners_rows ON {name}".encode())
        for statement in shut(name, VISIBLE):
            connection.execute(statement.encode())
    connection.execute(SQL.part("grant").encode())
