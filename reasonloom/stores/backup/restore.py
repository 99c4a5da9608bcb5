"""Replaces the whole content of a database with a backup, in one transaction."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import psycopg
from psycopg import sql
from sqlalchemy import Connection as AlembicConnection

from reasonloom.errors import Conflict, InvalidArgument
from reasonloom.stores.access import Access
from reasonloom.stores.backup.catalog import (
    Connection,
    administrator_errors,
    alter,
    columns_of,
    copying,
    open_to_owner,
    settle,
    tables_of,
)
from reasonloom.stores.backup.dump import BackupSize, Progress, in_thread
from reasonloom.stores.backup.file_format import (
    COUNT,
    ROWS,
    TABLE,
    Header,
    frames,
    header_of,
    open_backup,
    unreadable,
)
from reasonloom.stores.migrate import (
    alembic_transaction,
    prepare,
    prepare_saver,
    run_migrations,
    saver_step,
)
from reasonloom.stores.schema import newest_step, one_value, step_of

SAVED_STEPS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
"""LangGraph's own tables: emptied and filled, never dropped, since LangGraph creates them."""

MADE = """
SELECT named.type, named.identity FROM (
    SELECT 'pg_class'::regclass, oid, relname FROM pg_class
    WHERE relnamespace = to_regnamespace('reasonloom') AND relkind IN ('r', 'p', 'v', 'm', 'S')
    UNION ALL SELECT 'pg_proc'::regclass, oid, NULL FROM pg_proc
    WHERE pronamespace = to_regnamespace('reasonloom')
    UNION ALL SELECT 'pg_type'::regclass, oid, NULL FROM pg_type
    WHERE typnamespace = to_regnamespace('reasonloom') AND typtype IN ('d', 'e')
) made (catalog, id, relation), pg_identify_object(made.catalog, made.id, 0) named
WHERE coalesce(relation <> ALL (%s), true) AND NOT EXISTS (
    SELECT 1 FROM pg_depend d
    WHERE d.classid = made.catalog AND d.objid = made.id AND d.deptype = 'e')
"""
"""All objects that migrations created, including a newer version's, without LangGraph's tables and
those of an extension in our schema."""

FOREIGN_KEYS = """
SELECT c.relname, k.conname, pg_get_constraintdef(k.oid)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE k.connamespace = to_regnamespace('reasonloom') AND k.contype = 'f' ORDER BY 1, 2
"""
YES = "--yes replaces all its data, of every owner"
FULL = f"the database is not empty; {YES}"


async def restore(
    access: Access,
    path: Path,
    progress: Progress,
    *,
    replace: bool = False,
    identity: Path | None = None,
) -> BackupSize:
    """Load a backup into a database and migrate it to the newest schema, in one transaction.

    With `replace` all existing data of every owner is dropped, including objects of a newer
    version; otherwise the database must be empty. Before the transaction, only the prerequisites
    of our tables are created, and LangGraph's tables are migrated. `identity` is the file with the
    private key of an encrypted backup.

    Raises:
        InvalidArgument: the file is not a complete backup, or of a newer version; nothing is
            changed.
        Conflict: the database is not empty, or belongs to a newer version.
        DatabaseUnavailable: the database is unavailable, or in use.
        SettingMistake: the login lacks privileges.
    """
    with await asyncio.to_thread(open_backup, path, identity) as file:
        header = header_of(file)
        if header.schema > newest_step():
            raise InvalidArgument(
                f"{path.name}: has schema {header.schema} of reasonloom {header.product}, this "
                f"version knows {newest_step()}: update reasonloom",
                field="file",
            )
        size = os.fstat(file.fileno()).st_size
        rows = await in_thread(
            lambda report: _fill(access, file, header, replace, lambda done: report(done, size)),
            progress,
        )
    return BackupSize(header, rows, size)


def _fill(
    access: Access, file: BinaryIO, header: Header, replace: bool, progress: Callable[[int], None]
) -> int:
    prepare(access)
    with administrator_errors(), psycopg.connect(access.admin) as plain:
        _take(plain, replace)
        plain.rollback()
    prepare_saver(access)
    with administrator_errors(), alembic_transaction(access.admin) as alembic:
        connection: Any = alembic.connection.driver_connection
        _take(connection, replace)  # others may have filled it meanwhile
        if header.saver > saver_step(connection):
            raise InvalidArgument(
                "the backup's saved steps are of a newer LangGraph: update reasonloom", field="file"
            )
        _rebuild(connection, alembic, header.schema)
        with _open(connection):
            with _bare(connection):
                rows = _load(connection, file, progress)
            _upgrade(alembic, "head")
        connection.execute("ANALYZE")
        progress(file.tell())
        return rows


def _take(connection: Connection, replace: bool) -> None:
    """Lock the schema for this transaction, unless it holds data that must not be replaced."""
    settle(connection)
    tables = tables_of(connection)
    open_to_owner(connection, tables)
    if replace:
        return
    status = step_of(connection)
    if status.newer:
        known = f"this version knows {status.newest}"
        raise Conflict(f"the database has schema {status.current}, {known}; {YES}")
    if any(_holds_rows(connection, table) for table in tables):
        raise Conflict(FULL)


def _holds_rows(connection: Connection, table: str) -> bool:
    query = sql.SQL("SELECT EXISTS (SELECT 1 FROM {})").format(sql.Identifier(table))
    return bool(one_value(connection, query))


def _rebuild(connection: Connection, alembic: AlembicConnection, step: str) -> None:
    """Recreate our tables, empty, as of a migration step; truncate LangGraph's."""
    kept = [*SAVED_STEPS, "checkpoint_migrations"]
    for kind, name in connection.execute(MADE, (kept,)).fetchall():
        # It may have been dropped with another one already.
        drop = sql.SQL("DROP {} IF EXISTS {} CASCADE")
        connection.execute(drop.format(sql.SQL(kind), sql.SQL(name)))
    saved = sql.SQL(", ").join(map(sql.Identifier, SAVED_STEPS))
    connection.execute(sql.SQL("TRUNCATE {}").format(saved))
    _upgrade(alembic, step)


def _upgrade(alembic: AlembicConnection, step: str) -> None:
    """Run the migrations within the open transaction."""
    from sqlalchemy import text

    # A migration may read a table that it has just created and secured, which is empty.
    alembic.execute(text("SET LOCAL row_security = on"))
    run_migrations(alembic, step)
    alembic.execute(text("SET LOCAL row_security = off"))


@contextmanager
def _open(connection: Connection) -> Iterator[None]:
    """Let a login that is subject to policies fill the tables and migrate their rows."""
    opened = open_to_owner(connection, tables_of(connection))
    yield
    for table in set(opened) & set(tables_of(connection)):
        alter(connection, table, "FORCE ROW LEVEL SECURITY")


@contextmanager
def _bare(connection: Connection) -> Iterator[None]:
    """Disable triggers and foreign keys, so that rows are loaded unchanged and in any order.

    At the end both are restored, and the foreign keys are validated against every row.
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


def _load(connection: Connection, file: BinaryIO, progress: Callable[[int], None]) -> int:
    """Fill every table of the file; return the number of rows."""
    known, rows = set(tables_of(connection)), 0
    parts = frames(file, progress)
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
    count = None
    with connection.cursor() as cursor:
        statement = copying(table["table"], table["columns"], "FROM STDIN")
        with cursor.copy(statement) as copy:
            for kind, body in parts:
                if kind != ROWS:
                    count = json.loads(body) if kind == COUNT else None
                    break
                copy.write(body)
        if count != cursor.rowcount:
            raise unreadable()
        return cursor.rowcount
