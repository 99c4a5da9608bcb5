"""Migrates a database to this version's schema, once even if many processes start together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access
from reasonloom.stores.migrations.rls import APP_ROLE
from reasonloom.stores.provisioning import IS_MEMBER, ROLE_EXISTS, has_database, provisioned
from reasonloom.stores.schema import (
    FOLDER,
    UPDATE,
    SchemaStatus,
    administrator_errors,
    explain,
    let_grant,
    newest_step,
    one_value,
    refusal,
    refuse_if_unfit,
    step_of,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection as AlembicConnection


def saver_step(connection: psycopg.Connection[Any]) -> int:
    """Return the migration step of LangGraph's tables, -1 if there are none."""
    if one_value(connection, "SELECT to_regclass('checkpoint_migrations') IS NULL"):
        return -1
    return int(one_value(connection, "SELECT coalesce(max(v), -1) FROM checkpoint_migrations"))


def make_saver_tables(admin: str) -> None:
    """Create LangGraph's tables for the app's role, with row-level security like all others."""
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(admin) as saver:
        saver.setup()
    with psycopg.connect(admin) as connection:  # one transaction: no table without its policy
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            for statement in saver_policy(table):
                connection.execute(statement)
        connection.execute(f"GRANT SELECT ON checkpoint_migrations TO {APP_ROLE}")


def saver_policy(table: str) -> list[str]:
    """Return the statements that secure a table of saved steps by owner; thread = owner/run.

    A run's id has 36 characters, so the owner is all but the last 37, even if it has a slash.
    """
    owner = "left(thread_id, -37) = (SELECT nullif(current_setting('app.owner', true), ''))"
    return [
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS owners_rows ON {table}",
        f"CREATE POLICY owners_rows ON {table} USING ({owner}) WITH CHECK ({owner})",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {APP_ROLE}",
    ]


log = logging.getLogger(__name__)
LOCK_PATIENCE = 60.0
"""Seconds to wait for another process that is migrating the same database."""
LOOK_PATIENCE = "5s"
"""Statement timeout for reading the schema's version."""


async def bring_up_to_date(access: Access, *, patience: float = LOCK_PATIENCE) -> SchemaStatus:
    """Create missing database, roles and tables; return the status found before.

    `patience` is the number of seconds to wait for another process that does the same.

    Raises:
        DatabaseUnavailable: not reachable, busy, or written by a newer version.
        SettingMistake: the server is too old, lacks pgvector, or its login lacks privileges.
    """
    return await asyncio.to_thread(_bring_up_to_date, access, patience)


async def schema_status(access: Access) -> SchemaStatus:
    """Return the schema's status without changing anything.

    Raises:
        DatabaseUnavailable: not reachable, or busy.
        SettingMistake: its login may not assume the app's role.
    """
    return await asyncio.to_thread(_known_status, access)


def _bring_up_to_date(access: Access, patience: float) -> SchemaStatus:
    try:
        status = _status(access.app)
    except psycopg.errors.QueryCanceled as error:
        raise DatabaseUnavailable(explain(error)) from None
    except psycopg.OperationalError:  # the database or the role may not exist yet
        status = SchemaStatus(None, newest_step())
    if status.newer:
        raise DatabaseUnavailable(
            f"the database has schema {status.current}, this version knows {status.newest}: "
            f"{UPDATE}"
        )
    if not status.up_to_date:
        with administrator_errors():
            _upgrade(access, patience)
    return status


def _known_status(access: Access) -> SchemaStatus:
    with administrator_errors():
        try:
            return _status(access.app)
        except psycopg.errors.QueryCanceled:
            raise
        except psycopg.OperationalError:
            return _status_without_role(access)


def _status_without_role(access: Access) -> SchemaStatus:
    """Return the status if the app's role cannot log in because nothing exists yet; else raise."""
    if access.embedded and not has_database(access.admin):
        return SchemaStatus(None, newest_step())
    with psycopg.connect(access.admin, autocommit=True) as connection:
        refuse_if_unfit(connection)
        if one_value(connection, ROLE_EXISTS) and not one_value(connection, IS_MEMBER):
            raise refusal(let_grant(connection))
    return SchemaStatus(None, newest_step())


def _status(conninfo: str) -> SchemaStatus:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(f"SET statement_timeout = '{LOOK_PATIENCE}'")
        refuse_if_unfit(connection)
        return step_of(connection)


def _upgrade(access: Access, patience: float) -> None:
    """Run the missing migrations; the schema's version commits last, so it never runs ahead."""
    with provisioned(access, patience) as connection:
        if not step_of(connection).up_to_date:
            make_saver_tables(access.admin)
            with alembic_transaction(access.admin) as alembic:
                run_migrations(alembic, "head")


def prepare(access: Access) -> None:
    """Create missing database, role, schema and extension, but no tables.

    Raises:
        DatabaseUnavailable: not reachable, or another process is migrating it.
        SettingMistake: the server is too old, lacks pgvector, or its login lacks privileges.
    """
    with administrator_errors(), provisioned(access, patience=0):
        pass


def prepare_saver(access: Access) -> None:
    """Migrate LangGraph's tables, which cannot be done within a transaction.

    Raises:
        DatabaseUnavailable, SettingMistake: as `prepare`.
    """
    from langgraph.checkpoint.postgres import PostgresSaver

    with administrator_errors(), provisioned(access, patience=0) as connection:
        if saver_step(connection) < len(PostgresSaver.MIGRATIONS) - 1:
            make_saver_tables(access.admin)


@contextmanager
def alembic_transaction(admin: str) -> Iterator[AlembicConnection]:
    """Yield a connection for Alembic, in one transaction that commits at the end."""
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(admin), poolclass=NullPool
    )
    try:
        with engine.begin() as connection:
            yield connection
    except DBAPIError as error:
        raise error.orig or error from None


def run_migrations(connection: AlembicConnection, step: str) -> None:
    """Run our migrations up to a step within an open transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, step)
