"""What an administrator is told where a database cannot be brought to our schema."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from reasonloom.errors import DatabaseFull, DatabaseUnavailable, SettingMistake
from reasonloom.stores.migrations.rls import APP_ROLE

log = logging.getLogger(__name__)
SEE_DOCTOR = "; see `reasonloom doctor`"
LET_UPGRADE = (
    "the login of DATABASE_URL may not make roles, tables or the extension: let an "
    "administrator run `reasonloom db upgrade` once"
)


@contextmanager
def told() -> Iterator[None]:
    """Turn what Postgres says into what an administrator needs to know."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege:
        raise refusal(LET_UPGRADE) from None
    except psycopg.errors.DiskFull:
        raise DatabaseFull from None
    except psycopg.OperationalError as error:
        log.warning("the database is away: %s", type(error).__name__)
        raise DatabaseUnavailable(explain(error)) from None
    except psycopg.Error as error:
        log.exception("migration failed")
        raise DatabaseUnavailable(explain(error)) from None


def refusal(fault: str) -> SettingMistake:
    """Return the error for a server that only an administrator can mend."""
    return SettingMistake(fault, field="DATABASE_URL")


def explain(error: psycopg.Error) -> str:
    """Return what an administrator needs to know, without the address or the statement."""
    if isinstance(error, psycopg.errors.QueryCanceled):
        return "the database is busy and did not tell its schema in time; try again"
    return f"the database could not be reached{SEE_DOCTOR}"


def let_grant(connection: psycopg.Connection[Any]) -> str:
    """Return what lets our login step down to the app's role."""
    (login,) = connection.execute("SELECT quote_ident(current_user)").fetchone() or ("",)
    return (
        f"the login of DATABASE_URL may not step down to the role {APP_ROLE}: let an "
        f"administrator run `GRANT {APP_ROLE} TO {login}`"
    )
