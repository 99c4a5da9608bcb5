"""Gives owners who outgrew exact search an index of nearness of their own.

One index over all owners would answer a small owner with almost nothing, and cost every insert
of everybody. A partial index holds the vectors of one owner and one model alone: what it finds
is that owner's, and nobody else pays for it. It is made by whoever administers the database
(`reasonloom db maintain`), while the server runs, and may be asked for again at any time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
from psycopg import sql

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.vectors import index_of

if TYPE_CHECKING:
    from reasonloom.stores.access import Access

OUTGROWN = 8_000
"""Memories of one owner, some 20,000 vectors, that exact search takes some ten milliseconds for."""

LARGEST_VECTOR = 4_000
"""Numbers of a vector that pgvector can index as a `halfvec`."""

LOCK = 7_309_453_217
"""The advisory lock under which one process maintains; any other constant will do."""

TABLES = ("owners", "embeddings")
OWNERS = "SELECT owner FROM owners WHERE memory_count >= %s ORDER BY owner"
MODELS = """
SELECT DISTINCT ON (model) model, vector_dims(embedding) FROM embeddings
WHERE owner = %s ORDER BY model
"""
MADE = """
SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = to_regclass('embeddings') AND c.relname ~ '^near_[0-9a-f]{32}$'
"""
MAKE = """
CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON embeddings
USING hnsw ((CAST(embedding AS halfvec({size}))) halfvec_cosine_ops) WITH (m = 24)
WHERE owner = {owner} AND model = {model}
"""
DROP = "DROP INDEX CONCURRENTLY IF EXISTS {name}"
WORK_MEMORY = "SET maintenance_work_mem = '512MB'"


@dataclass(frozen=True, slots=True)
class Outgrown:
    """An owner's vectors of one model that are to have an index of their own."""

    owner: str
    model: str
    size: int

    @property
    def name(self) -> str:
        """The index's name."""
        return index_of(self.owner, self.model)


@dataclass(frozen=True, slots=True)
class Maintained:
    """How many indexes were made, dropped because nobody needs them, and left as they were."""

    made: int
    dropped: int
    kept: int


async def maintain(access: Access, *, outgrown: int = OUTGROWN) -> Maintained:
    """Make the indexes that lack, and drop those that were left half-made or are not needed.

    Nobody waits for it: what is stored meanwhile is indexed too. An owner keeps an index down
    to half of `outgrown` memories.

    Raises:
        DatabaseUnavailable: not reachable, or another process maintains it.
    """
    return await asyncio.to_thread(_maintain, access, outgrown)


async def lacking(access: Access) -> int:
    """Return how many indexes `maintain` would make, as far as the login may see it."""
    return await asyncio.to_thread(_lacking, access)


def _maintain(access: Access, outgrown: int) -> Maintained:
    with _connected(access) as connection:
        if not _rows(connection, "SELECT pg_try_advisory_lock(%s)", LOCK)[0][0]:
            raise DatabaseUnavailable("another process maintains the database; try again")
        try:
            return _made(connection, outgrown)
        finally:  # a closed connection lets go of its lock only some time after
            connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def _made(connection: psycopg.Connection[Any], outgrown: int) -> Maintained:
    wanted = _wanted(connection, outgrown)
    needed = {each.name for each in _wanted(connection, outgrown // 2)}
    made = dict(_rows(connection, MADE))
    unneeded = [name for name, valid in made.items() if not valid or name not in needed]
    for name in unneeded:
        connection.execute(sql.SQL(DROP).format(name=sql.Identifier(name)))
    new = [each for each in wanted if each.name not in made or each.name in unneeded]
    connection.execute(WORK_MEMORY)
    for each in new:
        _make(connection, each)
    return Maintained(len(new), len(unneeded), len(made) - len(unneeded))


def _make(connection: psycopg.Connection[Any], each: Outgrown) -> None:
    connection.execute(
        sql.SQL(MAKE).format(
            name=sql.Identifier(each.name),
            size=sql.Literal(each.size),
            owner=sql.Literal(each.owner),
            model=sql.Literal(each.model),
        )
    )


def _wanted(connection: psycopg.Connection[Any], outgrown: int) -> list[Outgrown]:
    """Return what is to be indexed, seen as the tables' owner sees it.

    Row-level security is forced on that owner too; it is lifted in a transaction that is
    rolled back, so that nobody else ever meets the tables without it.
    """
    with connection.transaction(force_rollback=True):
        if not _passes(connection):
            for table in TABLES:
                connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY".encode())
        return _seen(connection, outgrown)


def _seen(connection: psycopg.Connection[Any], outgrown: int) -> list[Outgrown]:
    found = []
    for (owner,) in _rows(connection, OWNERS, outgrown):
        for model, size in _rows(connection, MODELS, owner):
            if size <= LARGEST_VECTOR:
                found.append(Outgrown(owner, model, size))
    return found


def _lacking(access: Access) -> int:
    with _connected(access) as connection:
        made = {name for name, valid in _rows(connection, MADE) if valid}
        return sum(each.name not in made for each in _seen(connection, OUTGROWN))


def _passes(connection: psycopg.Connection[Any]) -> bool:
    query: LiteralString = (
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    )
    return bool(_rows(connection, query)[0][0])


def _rows(
    connection: psycopg.Connection[Any], query: LiteralString, *values: Any
) -> list[tuple[Any, ...]]:
    return connection.execute(query, values or None).fetchall()


@contextmanager
def _connected(access: Access) -> Iterator[psycopg.Connection[Any]]:
    """Yield an administrator's connection; each statement is a transaction."""
    try:
        with psycopg.connect(access.admin, autocommit=True) as connection:
            yield connection
    except psycopg.Error as error:
        fault = type(error).__name__
        raise DatabaseUnavailable(f"the database could not be maintained ({fault})") from None
