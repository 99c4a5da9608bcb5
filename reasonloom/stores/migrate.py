"""Brings a database to the schema this version speaks, once, however many start at once."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import SCHEMA, Access
from reasonloom.stores.migrations.rls import APP_ROLE

if TYPE_CHECKING:
    from alembic.config import Config

log = logging.getLogger(__name__)
FOLDER = Path(__file__).parent / "migrations"
LOCK = 7_309_453_216
"""The advisory lock under which a database is brought up to date; any constant will do."""
LOCK_PAUSE = 0.1

ROLE = f"""
DO $$ BEGIN
    CREATE ROLE {APP_ROLE} {{login}} NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
WORKING_ROLE = f"GRANT {APP_ROLE} TO CURRENT_USER"
MATCH_IS_SAFE = "ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF"
"""Lets full-text search use its index under row-level security; needs a superuser."""


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """The schema's step a database is at, None before the first, and the newest one."""

    current: str | None
    newest: str

    @property
    def up_to_date(self) -> bool:
        """True where nothing is left to do."""
        return self.current == self.newest


def newest_step() -> str:
    """Return the number of the newest migration, without loading Alembic."""
    return max(path.name[1:5] for path in (FOLDER / "versions").glob("v[0-9]*.py"))


async def bring_up_to_date(access: Access) -> SchemaStatus:
    """Make database, roles and tables where they lack; return what was found before.

    Raises:
        DatabaseUnavailable: not reachable, not allowed, or written by a newer version.
    """
    return await asyncio.to_thread(_bring_up_to_date, access)


async def schema_status(access: Access) -> SchemaStatus:
    """Return the schema's step without changing anything."""
    return await asyncio.to_thread(_status, access.app)


def _bring_up_to_date(access: Access) -> SchemaStatus:
    try:
        status = _status(access.app)
    except DatabaseUnavailable:
        status = SchemaStatus(None, newest_step())
    if status.current and status.current > status.newest:
        raise DatabaseUnavailable(
            f"the database has schema {status.current}, this version knows {status.newest}: "
            "update reasonloom"
        )
    if not status.up_to_date:
        try:
            _upgrade(access)
        except psycopg.OperationalError as error:
            log.warning("the database is away: %s", type(error).__name__)
            raise DatabaseUnavailable(_explain(error)) from None
        except psycopg.Error as error:
            log.exception("migration failed")
            raise DatabaseUnavailable(_explain(error)) from None
    return status


def _status(conninfo: str) -> SchemaStatus:
    try:
        with psycopg.connect(conninfo) as connection:
            row = connection.execute("SELECT to_regclass('alembic_version') IS NOT NULL").fetchone()
            if not (row and row[0]):
                return SchemaStatus(None, newest_step())
            found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            return SchemaStatus(found[0] if found else None, newest_step())
    except psycopg.Error as error:
        raise DatabaseUnavailable(_explain(error)) from None


def _explain(error: psycopg.Error) -> str:
    """Return what an administrator needs to know, without the address or the statement."""
    if error.sqlstate == "42501":
        return (
            "the login of DATABASE_URL may not make roles, tables or the extension: let an "
            "administrator run `reasonloom db upgrade` once"
        )
    if error.sqlstate in {"28000", "28P01"}:
        return "the database refused the login; see `reasonloom doctor`"
    return "the database could not be reached; see `reasonloom doctor`"


def _upgrade(access: Access) -> None:
    if access.embedded:
        _make_database(access.admin)
    with psycopg.connect(access.admin, autocommit=True) as connection:
        _lock(connection)
        _make_roles(connection, login=access.embedded is not None)
        _run_alembic(access.admin)
        _make_saver_tables(access.admin)


def _lock(connection: psycopg.Connection[Any]) -> None:
    """Wait for our advisory lock by asking again and again.

    A statement that waits for it would keep its snapshot, and an index that another process
    builds concurrently would wait for that snapshot for ever.
    """
    while True:
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,)).fetchone()
        if row and row[0]:
            return
        time.sleep(LOCK_PAUSE)


def _make_database(admin: str) -> None:
    """Make the embedded server's database in a locale that folds letters the same everywhere."""
    name = str(conninfo_to_dict(admin)["dbname"])
    with psycopg.connect(make_conninfo(admin, dbname="postgres"), autocommit=True) as connection:
        _lock(connection)
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
            return
        connection.execute(
            sql.SQL(
                "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' "
                "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C.UTF-8'"
            ).format(sql.Identifier(name))
        )


def _make_roles(connection: psycopg.Connection[Any], *, login: bool) -> None:
    connection.execute(ROLE.format(login="LOGIN" if login else "NOLOGIN"))
    connection.execute(WORKING_ROLE)
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    connection.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO {APP_ROLE}")
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    try:
        connection.execute(MATCH_IS_SAFE)
    except psycopg.errors.InsufficientPrivilege:
        log.info("full-text search works without its index: marking its operator needs a superuser")


def _run_alembic(admin: str) -> None:
    from alembic import command  # noqa: PLC0415 - slow to load, and seldom needed
    from sqlalchemy import create_engine  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(admin), poolclass=NullPool
    )
    with engine.connect() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()


def alembic_config() -> Config:
    """Return Alembic's configuration for our folder of steps."""
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return config


def _make_saver_tables(admin: str) -> None:
    """Make LangGraph's tables, open to the app's role and shut like all others."""
    from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415

    with PostgresSaver.from_conn_string(admin) as saver:
        saver.setup()
    with psycopg.connect(admin, autocommit=True) as connection:
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
