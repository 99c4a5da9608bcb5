"""Checks a database for its administrator: versions, schema, roles."""

import asyncio

import psycopg

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access
from reasonloom.stores.migrate import schema_status
from reasonloom.stores.provisioning import INSTALL_VECTOR
from reasonloom.stores.schema import TOO_OLD, UPDATE, VECTOR, SchemaStatus, fitness
from reasonloom.stores.vector_indexes import lacking

Found = tuple[str, bool | None, str]
"""A finding, whether it is fine (None: advice), and how to fix it."""

ROLES = """SELECT bool_or(rolname = current_user), bool_or(rolname = session_user) FROM pg_roles
WHERE rolname IN (current_user, session_user) AND (rolsuper OR rolbypassrls)"""
OFFERED = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"


async def examine(access: Access) -> list[Found]:
    """Return human-readable findings about the database.

    Raises:
        DatabaseUnavailable: it cannot be reached.
        SettingMistake: it is too old, or its login lacks privileges.
    """
    status = await schema_status(access)
    found = [_schema(status), *await asyncio.to_thread(_look, access, status)]
    return [*found, *await _outgrown(access)] if status.up_to_date else found


async def _outgrown(access: Access) -> list[Found]:
    """Return advice if owners have outgrown exact search, as far as our login can see."""
    many = await lacking(access)
    if not many:
        return []
    return [
        (
            f"{many} owners have many memories but no vector index",
            None,
            "run `reasonloom db maintain`",
        )
    ]


def _schema(status: SchemaStatus) -> Found:
    text = f"schema {status.current or 'empty'}, newest {status.newest}"
    if status.up_to_date:
        return text, True, ""
    if status.newer:
        return text, False, UPDATE
    return text, None, "run `reasonloom db upgrade`, or start a server"


def _look(access: Access, status: SchemaStatus) -> list[Found]:
    if not status.up_to_date and access.embedded:
        return []  # its versions ship in our own wheel, and its database may not exist yet
    conninfo = access.app if status.up_to_date else access.admin
    try:
        with psycopg.connect(conninfo) as connection:
            number = connection.info.server_version
            passes = connection.execute(ROLES).fetchone() or (None, None)
            made = connection.execute(VECTOR).fetchone()
            offered = connection.execute(OFFERED).fetchone()
    except psycopg.Error:
        raise DatabaseUnavailable("the database could not be reached") from None
    vector = made or offered
    found = [_versions(number, str(vector[0]) if vector else None)]
    if status.up_to_date:
        found.append(_role(passes=bool(passes[0]), login_passes=bool(passes[1])))
    return found


def _role(*, passes: bool, login_passes: bool) -> Found:
    if passes:
        return (
            "the application's role bypasses row-level security",
            False,
            "use a role without BYPASSRLS",
        )
    if login_passes:
        text = "row-level security applies to the application's role, but not to its login"
        return text, None, "use a login without SUPERUSER and BYPASSRLS"
    return "row-level security applies to the application's role", True, ""


def _versions(postgres: int, vector: str | None) -> Found:
    versions, fit = fitness(postgres, vector)
    if vector is None:
        return versions, False, INSTALL_VECTOR
    return versions, fit, "" if fit else TOO_OLD
