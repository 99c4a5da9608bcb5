"""Removes a person from grants and memberships, and replaces its name in logs."""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access
from reasonloom.stores.database import BEING_MOVED, NOT_REACHED

ENDED = (("grants", "grantee"), ("memberships", "member"))
NAMED = (
    ("audit_log", "principal"),
    ("audit_log", "subject"),
    ("grants", "granted_by"),
    ("memberships", "added_by"),
)
OWNERS = sql.SQL("SELECT owner FROM {} WHERE {} = {}")
ENTER = (
    "SELECT pg_advisory_xact_lock_shared(hashtextextended(each, 23)) FROM unnest(%s::text[]) each"
)
MOVING = "SELECT FROM owner_moves WHERE owner = ANY(%s) AND state <> 'gone'"
END = sql.SQL("DELETE FROM {} WHERE {} = {}")
RENAME = sql.SQL("UPDATE {} SET {} = {} WHERE {} = {}")


@dataclass(frozen=True, slots=True)
class Ended:
    """How many grants and memberships were removed."""

    grants: int
    memberships: int


async def replace_person(access: Access, person: str, pseudonym: str) -> Ended:
    """End all access of a person to spaces of others; a pseudonym stands where it was named.

    The app's role cannot change the log, so the tables' owner does.

    Raises:
        DatabaseUnavailable: the database cannot be reached, or an owner whose rows name the person
            is being moved.
    """
    name, new = sql.Literal(person), sql.Literal(pseudonym)
    try:
        connecting = await psycopg.AsyncConnection.connect(access.admin)
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(NOT_REACHED) from error
    async with connecting as connection:
        await _enter_owners(connection, name)
        counts = []
        for table, column in ENDED:
            place = sql.Identifier(table), sql.Identifier(column)
            counts.append((await connection.execute(END.format(*place, name))).rowcount)
        for table, column in NAMED:
            key = sql.Identifier(column)
            await connection.execute(RENAME.format(sql.Identifier(table), key, new, key, name))
    return Ended(*counts)


async def _enter_owners(connection: psycopg.AsyncConnection[Any], name: sql.Literal) -> None:
    """Let moves of the owners whose rows name the person wait; refuse if one has begun."""
    parts = [
        OWNERS.format(sql.Identifier(table), sql.Identifier(column), name)
        for table, column in (*ENDED, *NAMED)
    ]
    found = await connection.execute(sql.SQL(" UNION ").join(parts) + sql.SQL(" ORDER BY owner"))
    owners = [row[0] for row in await found.fetchall()]
    await connection.execute(ENTER, (owners,))
    if await (await connection.execute(MOVING, (owners,))).fetchone() is not None:
        raise DatabaseUnavailable(BEING_MOVED)
