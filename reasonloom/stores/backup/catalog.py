"""The catalogue of our schema for backup and restore: tables, columns, locks and errors."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString

import psycopg
from psycopg import sql

from reasonloom.errors import DatabaseFull, DatabaseUnavailable, SettingMistake
from reasonloom.stores.backup.file_format import unreadable
from reasonloom.stores.provisioning import LOCK
from reasonloom.stores.schema import one_value

Connection = psycopg.Connection[Any]
STEPS = ("alembic_version", "checkpoint_migrations")
"""The tables that record the schema's versions; a backup's header includes them."""

TABLES = """
SELECT relname FROM pg_class
WHERE relnamespace = to_regnamespace('reasonloom') AND relkind IN ('r', 'p')
AND relname <> ALL (%s) ORDER BY relname
"""
COLUMNS = """
SELECT attname FROM pg_attribute
WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
ORDER BY attnum
"""
CLOSED = "SELECT row_security_active(to_regclass(%s))"
PLAIN = (
    "SET LOCAL client_encoding = 'UTF8'",
    "SET LOCAL datestyle = 'ISO'",
    "SET LOCAL intervalstyle = 'postgres'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
    "SET LOCAL lock_timeout = '10s'",
    # Rows hidden by a policy raise an error instead of missing from the backup.
    "SET LOCAL row_security = off",
)
"""Settings that fix the format of values, regardless of the server's own."""

BUSY = "other processes use the database; stop its servers, then try again"
MOVING = "another process is bringing the database up to date; try again"
NOT_ALLOWED = (
    "the login of DATABASE_URL may not do this: use the one that made the tables, or a superuser"
)


def settle(connection: Connection) -> None:
    """Fix the format of values in a transaction, and take the schema's lock.

    Raises:
        DatabaseUnavailable: another process is changing the schema.
    """
    for statement in PLAIN:
        connection.execute(statement)
    if not one_value(connection, "SELECT pg_try_advisory_xact_lock(%s)", LOCK):
        raise DatabaseUnavailable(MOVING)


def tables_of(connection: Connection) -> list[str]:
    """Return the names of all tables that hold rows of owners, including saved steps."""
    return [str(row[0]) for row in connection.execute(TABLES, (list(STEPS),))]


def columns_of(connection: Connection, table: str) -> list[str]:
    """Return the columns of a table that are stored as given, not computed from others."""
    return [str(row[0]) for row in connection.execute(COLUMNS, (table,))]


def open_to_owner(connection: Connection, tables: Sequence[str]) -> list[str]:
    """Let the tables' owner see every row, if its login is subject to row-level security.

    Returns the tables that were opened: they are locked until the transaction ends, which must
    force row-level security again or roll back.
    """
    closed = [table for table in tables if one_value(connection, CLOSED, table)]
    for table in closed:
        alter(connection, table, "NO FORCE ROW LEVEL SECURITY")
    return closed


def alter(connection: Connection, table: str, change: LiteralString) -> None:
    """Change a table."""
    statement = sql.SQL("ALTER TABLE {} " + change)
    connection.execute(statement.format(sql.Identifier(table)))


def copying(table: str, columns: Sequence[str], way: LiteralString) -> sql.Composed:
    """Return the COPY statement for a table's columns, `TO STDOUT` or `FROM STDIN`."""
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    return sql.SQL("COPY {} ({}) " + way).format(sql.Identifier(table), names)


@contextmanager
def administrator_errors() -> Iterator[None]:
    """Translate errors of Postgres into messages for an administrator."""
    try:
        yield
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
        raise DatabaseUnavailable(BUSY) from None
    except psycopg.errors.InsufficientPrivilege:
        raise SettingMistake(NOT_ALLOWED, field="DATABASE_URL") from None
    except (psycopg.DataError, psycopg.IntegrityError):
        raise unreadable() from None
    except psycopg.errors.DiskFull:
        raise DatabaseFull from None
    except psycopg.OperationalError:
        raise DatabaseUnavailable("the database could not be reached, or went away") from None
