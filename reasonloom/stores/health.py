"""Looks at a database as an administrator would: versions, schema, roles."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import psycopg

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.migrate import schema_status

if TYPE_CHECKING:
    from reasonloom.stores.access import Access

Found = tuple[str, bool | None, str]
"""What was found, whether it is well (None: advice), and how to mend it."""

LEAST_POSTGRES = 160_000
LEAST_VECTOR = (0, 8)
ROLE = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
VECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"


async def examine(access: Access) -> list[Found]:
    """Return what is found in the database, best read by a person.

    Raises:
        DatabaseUnavailable: it cannot be reached.
    """
    status = await schema_status(access)
    schema = f"schema {status.current or 'empty'}, newest {status.newest}"
    if not status.up_to_date:
        cure = "it is brought up to date at the next start, or by `reasonloom db upgrade`"
        return [(schema, None, cure)]
    return [(schema, True, ""), *await asyncio.to_thread(_look, access.app)]


def _look(conninfo: str) -> list[Found]:
    try:
        with psycopg.connect(conninfo) as connection:
            number = connection.info.server_version
            passes = connection.execute(ROLE).fetchone()
            vector = connection.execute(VECTOR).fetchone()
    except psycopg.Error:
        raise DatabaseUnavailable(
            "the app's role cannot log in; run `reasonloom db upgrade`"
        ) from None
    return [
        _versions(number, str(vector[0]) if vector else ""),
        (
            ("the app's role passes row-level security", False, "use a role without BYPASSRLS")
            if passes and passes[0]
            else ("the app's role is held by row-level security", True, "")
        ),
    ]


def _versions(postgres: int, vector: str) -> Found:
    said = f"Postgres {postgres // 10_000}.{postgres % 10_000}, pgvector {vector or 'missing'}"
    numbers = tuple(int(part) for part in vector.split(".")[:2] if part.isdigit())
    well = postgres >= LEAST_POSTGRES and numbers >= LEAST_VECTOR
    return said, well, "" if well else "use Postgres 16 or newer with pgvector 0.8 or newer"
