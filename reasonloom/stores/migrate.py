"""Brings a database to the schema this version speaks, once, however many start at once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from reasonloom.errors import DatabaseFull, DatabaseUnavailable, SettingMistake
from reasonloom.stores.access import SCHEMA, Access
from reasonloom.stores.migrations.rls import APP_ROLE

if TYPE_CHECKING:
    from alembic.config import Config

log = logging.getLogger(__name__)
FOLDER = Path(__file__).parent / "migrations"
LOCK = 7_309_453_216
"""The advisory lock under which a database is brought up to date; any constant will do."""
LOCK_PAUSE = 0.1
LOCK_PATIENCE = 60.0
"""Seconds to wait for another process that brings the same database up to date."""
LOOK_PATIENCE = "5s"
"""How long a look at the schema may take on the server."""
LEAST_POSTGRES = 160_000
LEAST_VECTOR = (0, 8)

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
VECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
NO_VECTOR = ("58P01", "0A000", "42501")
"""What `CREATE EXTENSION` answers where it is not installed, or not for this login to make."""
SAFE_MATCHES = ("ts_match_vq(tsvector, tsquery)", "arrayoverlap(anyarray, anyarray)")
"""Lets words and dates use their indexes under row-level security; needs a superuser."""

INSTALL_VECTOR = (
    "install pgvector on the server and let an administrator run CREATE EXTENSION vector"
)
SEE_DOCTOR = "; see `reasonloom doctor`"
UPDATE = "update reasonloom"
TOO_OLD = "use Postgres 16 or newer with pgvector 0.8 or newer"
LET_UPGRADE = (
    "the login of DATABASE_URL may not make roles, tables or the extension: let an "
    "administrator run `reasonloom db upgrade` once"
)


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """The schema's step a database is at, None before the first, and the newest one."""

    current: str | None
    newest: str

    @property
    def up_to_date(self) -> bool:
        """True where nothing is left to do."""
        return self.current == self.newest

    @property
    def newer(self) -> bool:
        """True where a newer version of reasonloom was at work."""
        return self.current is not None and self.current > self.newest


def newest_step() -> str:
    """Return the number of the newest migration, without loading Alembic."""
    return max(path.name[1:5] for path in (FOLDER / "versions").glob("v[0-9]*.py"))


async def bring_up_to_date(access: Access, *, patience: float = LOCK_PATIENCE) -> SchemaStatus:
    """Make database, roles and tables where they lack; return what was found before.

    `patience` is how many seconds to wait for another process that does the same.

    Raises:
        DatabaseUnavailable: not reachable, busy, or written by a newer version.
        SettingMistake: the server is too old, lacks pgvector, or lets its login do too little.
    """
    return await asyncio.to_thread(_bring_up_to_date, access, patience)


async def schema_status(access: Access) -> SchemaStatus:
    """Return the schema's step without changing anything.

    Raises:
        DatabaseUnavailable: not reachable, or busy.
        SettingMistake: its login may not step down to the app's role.
    """
    return await asyncio.to_thread(_known_status, access)


def _bring_up_to_date(access: Access, patience: float) -> SchemaStatus:
    try:
        status = _status(access.app)
    except psycopg.errors.QueryCanceled as error:
        raise DatabaseUnavailable(_explain(error)) from None
    except psycopg.OperationalError:  # perhaps there is no database, or no role, yet
        status = SchemaStatus(None, newest_step())
    if status.newer:
        raise DatabaseUnavailable(
            f"the database has schema {status.current}, this version knows {status.newest}: "
            f"{UPDATE}"
        )
    if not status.up_to_date:
        with _told():
            _upgrade(access, patience)
    return status


@contextmanager
def _told() -> Iterator[None]:
    """Turn what Postgres says into what an administrator needs to know."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege:
        raise _refusal(LET_UPGRADE) from None
    except psycopg.errors.DiskFull:
        raise DatabaseFull from None
    except psycopg.OperationalError as error:
        log.warning("the database is away: %s", type(error).__name__)
        raise DatabaseUnavailable(_explain(error)) from None
    except psycopg.Error as error:
        log.exception("migration failed")
        raise DatabaseUnavailable(_explain(error)) from None


def _known_status(access: Access) -> SchemaStatus:
    with _told():
        try:
            return _status(access.app)
        except psycopg.errors.QueryCanceled:
            raise
        except psycopg.OperationalError:
            return _status_without_role(access)


def _status_without_role(access: Access) -> SchemaStatus:
    """Return what is known where the app's role cannot enter: nothing is made yet, or why."""
    if access.embedded and not _database_exists(access.admin):
        return SchemaStatus(None, newest_step())
    with psycopg.connect(access.admin, autocommit=True) as connection:
        _refuse_if_unfit(connection)
        if _one(connection, ROLE_EXISTS) and not _one(connection, IS_MEMBER):
            raise _refusal(_let_grant(connection))
    return SchemaStatus(None, newest_step())


def _database_exists(admin: str) -> bool:
    name = str(conninfo_to_dict(admin)["dbname"])
    with psycopg.connect(make_conninfo(admin, dbname="postgres")) as connection:
        query = "SELECT 1 FROM pg_database WHERE datname = %s"
        return connection.execute(query, (name,)).fetchone() is not None


def _status(conninfo: str) -> SchemaStatus:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(f"SET statement_timeout = '{LOOK_PATIENCE}'")
        _refuse_if_unfit(connection)
        return step_of(connection)


def step_of(connection: psycopg.Connection[Any]) -> SchemaStatus:
    """Return the step that a database is at."""
    current = None
    if _one(connection, "SELECT to_regclass('alembic_version') IS NOT NULL"):
        current = _one(connection, "SELECT version_num FROM alembic_version")
    return SchemaStatus(current, newest_step())


def _one(connection: psycopg.Connection[Any], query: LiteralString) -> Any:
    """Return the one value that a query gives, None where it gives no row."""
    row = connection.execute(query).fetchone()
    return row[0] if row else None


def _refuse_if_unfit(connection: psycopg.Connection[Any]) -> None:
    """Refuse a server that is too old; an extension that lacks is made later."""
    said, well = fitness(connection.info.server_version, _one(connection, VECTOR))
    if not well:
        raise _refusal(f"{said}: {TOO_OLD}")


def fitness(postgres: int, vector: str | None) -> tuple[str, bool]:
    """Return a server's versions as text, and whether they are new enough.

    `postgres` is libpq's number, such as 160004; `vector` None where it is not made yet.
    """
    said = f"Postgres {postgres // 10_000}.{postgres % 10_000}, pgvector {vector or 'missing'}"
    numbers = tuple(int(part) for part in (vector or "").split(".")[:2] if part.isdigit())
    return said, postgres >= LEAST_POSTGRES and (vector is None or numbers >= LEAST_VECTOR)


def _refusal(fault: str) -> SettingMistake:
    """Return the error for a server that only an administrator can mend."""
    return SettingMistake(fault, field="DATABASE_URL")


def _explain(error: psycopg.Error) -> str:
    """Return what an administrator needs to know, without the address or the statement."""
    if isinstance(error, psycopg.errors.QueryCanceled):
        return "the database is busy and did not tell its schema in time; try again"
    return f"the database could not be reached{SEE_DOCTOR}"


def _let_grant(connection: psycopg.Connection[Any]) -> str:
    login = _one(connection, "SELECT quote_ident(current_user)")
    return (
        f"the login of DATABASE_URL may not step down to the role {APP_ROLE}: let an "
        f"administrator run `GRANT {APP_ROLE} TO {login}`"
    )


def _upgrade(access: Access, patience: float) -> None:
    """Make what lacks; the schema's number commits last, so that it never promises too much."""
    with _prepared(access, patience) as connection:
        if not step_of(connection).up_to_date:
            _make_saver_tables(access.admin)
            _run_alembic(access.admin)


def prepare(access: Access) -> None:
    """Make database, role, schema and extension where they lack, and no table.

    Raises:
        DatabaseUnavailable: not reachable, or another process brings it up to date.
        SettingMistake: the server is too old, lacks pgvector, or lets its login do too little.
    """
    with _told(), _prepared(access, patience=0):
        pass


def prepare_saver(access: Access) -> None:
    """Bring LangGraph's tables to the newest step, which cannot be a part of a transaction.

    Raises:
        DatabaseUnavailable, SettingMistake: as `prepare`.
    """
    from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415

    with _told(), _prepared(access, patience=0) as connection:
        if saver_step(connection) < len(PostgresSaver.MIGRATIONS) - 1:
            _make_saver_tables(access.admin)


def saver_step(connection: psycopg.Connection[Any]) -> int:
    """Return the step of LangGraph's tables, -1 where there are none."""
    if _one(connection, "SELECT to_regclass('checkpoint_migrations') IS NULL"):
        return -1
    return int(_one(connection, "SELECT coalesce(max(v), -1) FROM checkpoint_migrations"))


@contextmanager
def _prepared(access: Access, patience: float) -> Iterator[psycopg.Connection[Any]]:
    """Make what stands around the tables; yield a connection that alone may change these."""
    if access.embedded:
        _make_database(access.admin, patience)
    with psycopg.connect(access.admin, autocommit=True) as connection:
        _refuse_if_unfit(connection)
        _lock(connection, patience)
        _make_role(connection, login=access.embedded is not None)
        _make_schema(connection)
        yield connection
        # A server lets go of a closed connection's lock some time after that was closed.
        connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def _lock(connection: psycopg.Connection[Any], patience: float) -> None:
    """Wait for our advisory lock by asking again and again, at most `patience` seconds.

    A statement that waits for it would keep its snapshot, and an index that another process
    builds concurrently would wait for that snapshot for ever.
    """
    until = time.monotonic() + patience
    while True:
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,)).fetchone()
        if row and row[0]:
            return
        if time.monotonic() >= until:
            raise DatabaseUnavailable(
                "another process is bringing the database up to date; try again"
            )
        time.sleep(LOCK_PAUSE)


def _make_database(admin: str, patience: float) -> None:
    """Make the embedded server's database in a locale that folds letters the same everywhere."""
    name = str(conninfo_to_dict(admin)["dbname"])
    with psycopg.connect(make_conninfo(admin, dbname="postgres"), autocommit=True) as connection:
        _lock(connection, patience)
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
            return
        connection.execute(
            sql.SQL(
                "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' "
                "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C.UTF-8'"
            ).format(sql.Identifier(name))
        )


def _make_role(connection: psycopg.Connection[Any], *, login: bool) -> None:
    """Make the app's role and let our login step down to it, where that lacks."""
    if not _one(connection, ROLE_EXISTS):
        try:
            connection.execute(MAKE_ROLE.format(login="LOGIN" if login else "NOLOGIN"))
        except psycopg.errors.InsufficientPrivilege:
            fault = f"{_let_grant(connection)}, after `CREATE ROLE {APP_ROLE} NOLOGIN`"
            raise _refusal(fault) from None
    if not _one(connection, IS_MEMBER):
        try:
            connection.execute(WORKING_ROLE)
        except psycopg.errors.InsufficientPrivilege:
            raise _refusal(_let_grant(connection)) from None


def _make_schema(connection: psycopg.Connection[Any]) -> None:
    """Make our schema and the extension, where they lack."""
    if not _one(connection, HAS_SCHEMA):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    if not _one(connection, MAY_USE_SCHEMA):
        connection.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO {APP_ROLE}")
    if not _one(connection, VECTOR):
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
            raise _refusal(f"pgvector is missing: {INSTALL_VECTOR}") from None
        raise
    _refuse_if_unfit(connection)


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
