"""Creates the database, role, schema and extension that our tables need, under one lock."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import SCHEMA, Access
from reasonloom.stores.migrations.rls import APP_ROLE
from reasonloom.stores.schema import VECTOR, let_grant, one_value, refusal, refuse_if_unfit

log = logging.getLogger(__name__)
LOCK = 7_309_453_216
"""The key of the advisory lock held during migrations; any constant will do."""
LOCK_PAUSE = 0.1
HAS_DATABASE = "SELECT 1 FROM pg_database WHERE datname = %s"
MAKE_ROLE = f"""
DO $$ BEGIN
    CREATE ROLE {APP_ROLE} {{login}} NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
ROLE_EXISTS = f"SELECT to_regrole('{APP_ROLE}') IS NOT NULL"
IS_MEMBER = f"SELECT pg_has_role(current_user, '{APP_ROLE}', 'SET')"
WORKING_ROLE = f"GRANT {APP_ROLE} TO CURRENT_USER"
HAS_SCHEMA = f"SELECT to_regnamespace('{SCHEMA}') IS NOT NULL"
MAY_USE_SCHEMA = f"SELECT has_schema_privilege('{APP_ROLE}', '{SCHEMA}', 'USAGE')"
NO_VECTOR = ("58P01", "0A000", "42501")
"""The SQLSTATEs of `CREATE EXTENSION` if it is not installed, or this login may not create it."""
SAFE_MATCHES = ("ts_match_vq(tsvector, tsquery)", "arrayoverlap(anyarray, anyarray)")
"""Marked as leakproof, so that words and dates use their indexes under row-level security; marking
them needs a superuser."""

INSTALL_VECTOR = (
    "install pgvector on the server and let an administrator run CREATE EXTENSION vector"
)


@contextmanager
def provisioned(access: Access, patience: float) -> Iterator[psycopg.Connection[Any]]:
    """Create the prerequisites of the tables; yield a connection that holds the migration lock."""
    if access.embedded:
        _make_database(access.admin, patience)
    with psycopg.connect(access.admin, autocommit=True) as connection:
        refuse_if_unfit(connection)
        _lock(connection, patience)
        _make_role(connection, login=access.embedded is not None)
        _make_schema(connection)
        yield connection
        # A server releases a closed connection's lock only some time after the close.
        connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def _lock(connection: psycopg.Connection[Any], patience: float) -> None:
    """Poll for our advisory lock for at most `patience` seconds.

    A blocking statement would hold its snapshot, and an index that another process builds
    concurrently would wait for that snapshot forever.
    """
    until = time.monotonic() + patience
    while True:
        if one_value(connection, "SELECT pg_try_advisory_lock(%s)", LOCK):
            return
        if time.monotonic() >= until:
            raise DatabaseUnavailable(
                "another process is bringing the database up to date; try again"
            )
        time.sleep(LOCK_PAUSE)


def has_database(admin: str) -> bool:
    """Return whether the embedded server's database exists."""
    name, server = _named(admin)
    with psycopg.connect(server) as connection:
        return one_value(connection, HAS_DATABASE, name) is not None


def _named(admin: str) -> tuple[str, str]:
    """Return a database's name, and a connection string that works before the database exists."""
    name = str(conninfo_to_dict(admin)["dbname"])
    return name, make_conninfo(admin, dbname="postgres")


def _make_database(admin: str, patience: float) -> None:
    """Create the embedded server's database with a locale that folds case the same everywhere."""
    name, server = _named(admin)
    with psycopg.connect(server, autocommit=True) as connection:
        _lock(connection, patience)
        if one_value(connection, HAS_DATABASE, name):
            return
        connection.execute(
            sql.SQL(
                "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' "
                "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C.UTF-8'"
            ).format(sql.Identifier(name))
        )


def _make_role(connection: psycopg.Connection[Any], *, login: bool) -> None:
    """Create the app's role and let our login assume it, if either is missing."""
    if not one_value(connection, ROLE_EXISTS):
        try:
            connection.execute(MAKE_ROLE.format(login="LOGIN" if login else "NOLOGIN"))
        except psycopg.errors.InsufficientPrivilege:
            fault = f"{let_grant(connection)}, after `CREATE ROLE {APP_ROLE} NOLOGIN`"
            raise refusal(fault) from None
    if not one_value(connection, IS_MEMBER):
        try:
            connection.execute(WORKING_ROLE)
        except psycopg.errors.InsufficientPrivilege:
            raise refusal(let_grant(connection)) from None


def _make_schema(connection: psycopg.Connection[Any]) -> None:
    """Create our schema and the extension if they are missing."""
    if not one_value(connection, HAS_SCHEMA):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    if not one_value(connection, MAY_USE_SCHEMA):
        connection.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO {APP_ROLE}")
    if not one_value(connection, VECTOR):
        _make_extension(connection)
    try:
        for function in SAFE_MATCHES:
            connection.execute(sql.SQL("ALTER FUNCTION {} LEAKPROOF").format(sql.SQL(function)))
    except psycopg.errors.InsufficientPrivilege:
        log.info("full-text search works without its index: marking its operator needs a superuser")


def _make_extension(connection: psycopg.Connection[Any]) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error as error:
        if error.sqlstate in NO_VECTOR:
            raise refusal(f"pgvector is missing: {INSTALL_VECTOR}") from None
        raise
    refuse_if_unfit(connection)
