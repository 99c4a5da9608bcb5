"""The schema version of a database, and whether its server is new enough."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg.sql import Composed

from reasonloom.errors import DatabaseFull, DatabaseUnavailable, SettingMistake
from reasonloom.stores.migrations.rls import APP_ROLE

log = logging.getLogger(__name__)
SEE_DOCTOR = "; see `reasonloom doctor`"
LET_UPGRADE = (
    "the login of DATABASE_URL may not create roles, tables or the extension: let an "
    "administrator run `reasonloom db upgrade` once"
)


@contextmanager
def administrator_errors() -> Iterator[None]:
    """Translate errors of Postgres into messages for an administrator."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege:
        raise refusal(LET_UPGRADE) from None
    except psycopg.errors.DiskFull:
        raise DatabaseFull from None
    except psycopg.OperationalError as error:
        log.warning("the database is unavailable: %s", type(error).__name__)
        raise DatabaseUnavailable(explain(error)) from None
    except psycopg.Error as error:
        log.exception("migration failed")
        raise DatabaseUnavailable(explain(error)) from None


def refusal(fault: str) -> SettingMistake:
    """Return the error for a fault that only an administrator can fix."""
    return SettingMistake(fault, field="DATABASE_URL")


def explain(error: psycopg.Error) -> str:
    """Return a message for an administrator, without the address or the statement."""
    if isinstance(error, psycopg.errors.QueryCanceled):
        return "the database is busy and did not report its schema in time; try again"
    return f"the database could not be reached{SEE_DOCTOR}"


def let_grant(connection: psycopg.Connection[Any]) -> str:
    """Return a message with the command that lets our login assume the app's role."""
    (login,) = connection.execute("SELECT quote_ident(current_user)").fetchone() or ("",)
    return (
        f"the login of DATABASE_URL may not switch to the role {APP_ROLE}: let an "
        f"administrator run `GRANT {APP_ROLE} TO {login}`"
    )


FOLDER = Path(__file__).parent / "migrations"
LEAST_POSTGRES = 160_000
LEAST_VECTOR = (0, 8)

VECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
UPDATE = "update reasonloom"
TOO_OLD = "use Postgres 16 or newer with pgvector 0.8 or newer"


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """A database's migration step, None before the first one, and the newest step."""

    current: str | None
    newest: str

    @property
    def up_to_date(self) -> bool:
        """True if no migration is left to run."""
        return self.current == self.newest

    @property
    def newer(self) -> bool:
        """True if a newer version of reasonloom migrated the database."""
        return self.current is not None and self.current > self.newest


def newest_step() -> str:
    """Return the number of the newest migration, without loading Alembic."""
    return max(path.name[1:5] for path in (FOLDER / "versions").glob("v[0-9]*.py"))


def step_of(connection: psycopg.Connection[Any]) -> SchemaStatus:
    """Return the schema status of a database."""
    current = None
    if one_value(connection, "SELECT to_regclass('alembic_version') IS NOT NULL"):
        current = one_value(connection, "SELECT version_num FROM alembic_version")
    return SchemaStatus(current, newest_step())


def one_value(
    connection: psycopg.Connection[Any], query: LiteralString | Composed, *values: Any
) -> Any:
    """Return the value that a query yields, None if it yields no row."""
    row = connection.execute(query, values or None).fetchone()
    return row[0] if row else None


def refuse_if_unfit(connection: psycopg.Connection[Any]) -> None:
    """Refuse a server that is too old; a missing extension is created later."""
    versions, fit = fitness(connection.info.server_version, one_value(connection, VECTOR))
    if not fit:
        raise refusal(f"{versions}: {TOO_OLD}")


def fitness(postgres: int, vector: str | None) -> tuple[str, bool]:
    """Return a server's versions as text, and whether they are new enough.

    `postgres` is libpq's number, such as 160004; `vector` is None if the extension is missing.
    """
    versions = f"Postgres {postgres // 10_000}.{postgres % 10_000}, pgvector {vector or 'missing'}"
    numbers = tuple(int(part) for part in (vector or "").split(".")[:2] if part.isdigit())
    return versions, postgres >= LEAST_POSTGRES and (vector is None or numbers >= LEAST_VECTOR)
