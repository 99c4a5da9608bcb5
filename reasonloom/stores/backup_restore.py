"""Puts a backup in the place of a database's whole content: all of it, or nothing at all."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import psycopg
from psycopg import sql

from reasonloom.errors import Conflict, InvalidArgument
from reasonloom.stores.backup import SAVER_STEP, Tell, Written
from reasonloom.stores.backup_file import (
    COUNT,
    ROWS,
    TABLE,
    Header,
    frames,
    header_of,
    open_backup,
    unreadable,
)
from reasonloom.stores.migrate import alembic_config, bring_up_to_date, newest_step
from reasonloom.stores.whole_schema import (
    STEPS,
    Connection,
    alter,
    columns_of,
    copying,
    open_to_owner,
    settle,
    tables_of,
    told,
    value,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection as AlembicConnection

    from reasonloom.stores.access import Access

SAVED_STEPS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
"""LangGraph's own tables: emptied and filled, never dropped, since they are not ours to make."""

ROUTINES = """
SELECT CAST(CAST(p.oid AS regprocedure) AS text) FROM pg_proc p
WHERE p.pronamespace = to_regnamespace('reasonloom') AND NOT EXISTS (
    SELECT 1 FROM pg_depend d
    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
"""
"""The functions of our migrations, not those of an extension that lies in our schema."""

FOREIGN_KEYS = """
SELECT c.relname, k.conname, pg_get_constraintdef(k.oid)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE k.connamespace = to_regnamespace('reasonloom') AND k.contype = 'f' ORDER BY 1, 2
"""
FULL = "the database is not empty; --yes replaces all that it holds, of every owner"


async def restore(access: Access, path: Path, tell: Tell, *, replace: bool = False) -> Written:
    """Fill a database with a backup and bring it up to date, in one transaction.

    With `replace` all that it holds goes, of every owner; else it must be empty.

    Raises:
        InvalidArgument: the file is no whole backup, or of a newer version; nothing is changed.
        Conflict: the database is not empty.
        DatabaseUnavailable: the database is away, or others use it.
        SettingMistake: the login may not do this.
    """
    with await asyncio.to_thread(open_backup, path) as file:
        header = header_of(file)
        if header.schema > newest_step():
            raise InvalidArgument(
                f"{path.name}: has schema {header.schema} of reasonloom {header.product}, this "
                f"version knows {newest_step()}: update reasonloom",
                field="file",
            )
        await bring_up_to_date(access)
        size = os.fstat(file.fileno()).st_size
        rows = await asyncio.to_thread(
            _fill, access, file, header, replace, lambda done: tell(done, size)
        )
    return Written(header, rows, size)


def _fill(
    access: Access, file: BinaryIO, header: Header, replace: bool, tell: Callable[[int], None]
) -> int:
    with told(), _transaction(access.admin) as (alembic, connection):
        settle(connection)
        tables = tables_of(connection)
        open_to_owner(connection, tables)
        if not replace and any(_holds_rows(connection, table) for table in tables):
            raise Conflict(FULL)
        if header.saver > int(value(connection, SAVER_STEP)):
            raise InvalidArgument(
                "the backup's saved steps are of a newer LangGraph: update reasonloom", field="file"
            )
        _rebuild(connection, alembic, header.schema)
        with _open(connection):
            with _bare(connection):
                rows = _load(connection, file, tell)
            _upgrade(alembic, "head")
        connection.execute("ANALYZE")
        return rows


@contextmanager
def _transaction(admin: str) -> Iterator[tuple[AlembicConnection, Connection]]:
    """Yield one transaction as Alembic and as psycopg speak to it; it commits at the end."""
    from sqlalchemy import create_engine  # noqa: PLC0415 - slow to load, and seldom needed
    from sqlalchemy.exc import DBAPIError  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(admin), poolclass=NullPool
    )
    try:
        with engine.begin() as alembic:
            plain: Any = alembic.connection.driver_connection
            yield alembic, plain
    except DBAPIError as error:
        raise error.orig or error from None


def _holds_rows(connection: Connection, table: str) -> bool:
    query = sql.SQL("SELECT EXISTS (SELECT 1 FROM {})").format(sql.Identifier(table))
    row = connection.execute(query).fetchone()
    return bool(row and row[0])


def _rebuild(connection: Connection, alembic: AlembicConnection, step: str) -> None:
    """Make our tables anew as they were at a step, empty; LangGraph's are emptied."""
    ours = [table for table in tables_of(connection) if table not in SAVED_STEPS]
    names = sql.SQL(", ").join(map(sql.Identifier, [*ours, STEPS[0]]))
    connection.execute(sql.SQL("DROP TABLE {} CASCADE").format(names))
    for (routine,) in connection.execute(ROUTINES).fetchall():
        connection.execute(sql.SQL("DROP ROUTINE {} CASCADE").format(sql.SQL(routine)))
    saved = sql.SQL(", ").join(map(sql.Identifier, SAVED_STEPS))
    connection.execute(sql.SQL("TRUNCATE {}").format(saved))
    _upgrade(alembic, step)


def _upgrade(alembic: AlembicConnection, step: str) -> None:
    """Walk the migrations within the transaction that is open."""
    from alembic import command  # noqa: PLC0415
    from sqlalchemy import text  # noqa: PLC0415

    # A migration may touch a table that it has just made and shut, which is empty.
    alembic.execute(text("SET LOCAL row_security = on"))
    config = alembic_config()
    config.attributes["connection"] = alembic
    command.upgrade(config, step)
    alembic.execute(text("SET LOCAL row_security = off"))


@contextmanager
def _open(connection: Connection) -> Iterator[None]:
    """Let a login that policies hold fill the tables and migrate what is in them."""
    opened = open_to_owner(connection, tables_of(connection))
    yield
    for table in set(opened) & set(tables_of(connection)):
        alter(connection, table, "FORCE ROW LEVEL SECURITY")


@contextmanager
def _bare(connection: Connection) -> Iterator[None]:
    """Let tables take rows in any order and as they are: without triggers and foreign keys.

    All of it is there again at the end, and the foreign keys have looked at every row.
    """
    tables = tables_of(connection)
    keys = connection.execute(FOREIGN_KEYS).fetchall()
    for table, name, _ in keys:
        _constraint(connection, table, sql.SQL("DROP CONSTRAINT {}"), name)
    for table in tables:
        alter(connection, table, "DISABLE TRIGGER USER")
    yield
    for table in tables:
        alter(connection, table, "ENABLE TRIGGER USER")
    for table, name, definition in keys:
        _constraint(connection, table, sql.SQL("ADD CONSTRAINT {} " + definition), name)


def _constraint(connection: Connection, table: str, change: sql.SQL, name: str) -> None:
    statement = sql.SQL("ALTER TABLE {} ").format(sql.Identifier(table))
    connection.execute(statement + change.format(sql.Identifier(name)))


def _load(connection: Connection, file: BinaryIO, tell: Callable[[int], None]) -> int:
    """Fill every table of the file; return how many rows that were."""
    known, rows = set(tables_of(connection)), 0
    parts = frames(file, tell)
    for kind, body in parts:
        if kind == TABLE:
            table = json.loads(body)
            if table["table"] not in known or not _fits(connection, table):
                raise unreadable()
            rows += _load_table(connection, table, parts)
    return rows


def _fits(connection: Connection, table: dict[str, Any]) -> bool:
    return set(table["columns"]) <= set(columns_of(connection, table["table"]))


def _load_table(
    connection: Connection, table: dict[str, Any], parts: Iterator[tuple[bytes, bytes]]
) -> int:
    said = None
    with connection.cursor() as cursor:
        statement = copying(table["table"], table["columns"], "FROM STDIN")
        with cursor.copy(statement) as copy:
            for kind, body in parts:
                if kind != ROWS:
                    said = json.loads(body) if kind == COUNT else None
                    break
                copy.write(body)
        if said != cursor.rowcount:
            raise unreadable()
        return cursor.rowcount
