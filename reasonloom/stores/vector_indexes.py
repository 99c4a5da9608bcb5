"""Builds vector indexes for owners who have outgrown exact search.

One index over all owners would return almost nothing for a small owner, and slow down every
insert. A partial index covers the vectors of one owner and one model only: all its hits are that
owner's, and nobody else pays for it. It ends at the owner's last memory at build time. Later
memories are not added to it, which would make storing ten times slower; they are searched exactly
until there are enough of them for a new index to replace the old one. An administrator builds it
with `reasonloom db maintain` while the server runs, and can repeat that at any time.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg import sql

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access
from reasonloom.stores.vectors import index_of

OUTGROWN = 8_000
"""Memories of one owner (about 20,000 vectors) that exact search scans in about ten ms."""

GROWN = 2_500
"""Memories newer than an index that trigger a rebuild: searching them takes about five ms."""

LARGEST_VECTOR = 4_000
"""Dimensions of a vector that pgvector can index as a `halfvec`."""

LOCK = 7_309_453_217
"""The key of the advisory lock for maintenance; any other constant will do."""

TABLES = ("owners", "embeddings")
OWNERS = "SELECT owner, memory_count FROM owners WHERE memory_count >= %s ORDER BY owner"
MODELS = """
SELECT model, last, (SELECT vector_dims(e.embedding) FROM embeddings e
    WHERE e.owner = %(owner)s AND e.memory_id = last AND e.model = held.model LIMIT 1)
FROM (SELECT model, max(memory_id) AS last FROM embeddings WHERE owner = %(owner)s
    GROUP BY model) held ORDER BY model
"""
LATER = """
SELECT count(DISTINCT memory_id) FROM embeddings
WHERE owner = %s AND model = %s AND memory_id > %s
"""
MADE = """
SELECT c.relname, left(c.relname, 37), CAST(substring(c.relname FROM '_([0-9]{1,18})$') AS bigint),
    i.indisvalid
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = to_regclass('embeddings') AND c.relname ~ '^near_[0-9a-f]{32}(_.+)?$'
ORDER BY 3 NULLS FIRST
"""
"""The existing indexes, those that cover all memories first, then by their last memory."""
MAKE = """
CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON embeddings
USING hnsw ((CAST(embedding AS halfvec({size}))) halfvec_cosine_ops) WITH (m = 24)
WHERE owner = {owner} AND model = {model} AND memory_id <= CAST({last} AS bigint)
"""
DROP = "DROP INDEX CONCURRENTLY IF EXISTS {name}"
WORK_MEMORY = "SET maintenance_work_mem = '512MB'"


@dataclass(frozen=True, slots=True)
class Made:
    """A vector index: the prefix of its owner and model, and its last memory (None: covers all)."""

    name: str
    prefix: str
    last: int | None
    valid: bool


@dataclass(frozen=True, slots=True)
class Outgrown:
    """An owner's vectors of one model that have or need their own index.

    Attributes:
        memories: the owner's total number of memories.
        last: the last memory that has such a vector.
        held: the existing index.
        later: memories that the index does not cover because they are newer.
    """

    owner: str
    memories: int
    model: str
    last: int
    size: int
    held: Made | None
    later: int

    @property
    def name(self) -> str:
        """The name of an index that is built now."""
        return f"{index_of(self.owner, self.model)}_{self.last}"

    def lacks(self, outgrown: int, grown: int) -> bool:
        """Return whether an index must be built or rebuilt."""
        if self.held is None:
            return self.memories >= outgrown
        return self.held.last is None or self.later > grown


@dataclass(frozen=True, slots=True)
class Maintained:
    """How many indexes were built, dropped as unneeded or replaced, and left unchanged."""

    made: int
    dropped: int
    kept: int


async def maintain(access: Access, *, outgrown: int = OUTGROWN, grown: int = GROWN) -> Maintained:
    """Build missing indexes, and drop those that are incomplete or no longer needed.

    An index with more than `grown` newer memories is rebuilt before the old one is dropped, and
    so is one that covers all memories, as earlier versions built them. Nobody is blocked. An owner
    keeps an index down to half of `outgrown` memories.

    Raises:
        DatabaseUnavailable: not reachable, or another process is maintaining it.
    """
    return await asyncio.to_thread(_maintain, access, outgrown, grown)


async def lacking(access: Access) -> int:
    """Return how many indexes `maintain` would build, as far as the login can see."""
    return await asyncio.to_thread(_lacking, access)


def _maintain(access: Access, outgrown: int, grown: int) -> Maintained:
    with _connected(access) as connection:
        if not _rows(connection, "SELECT pg_try_advisory_lock(%s)", LOCK)[0][0]:
            raise DatabaseUnavailable("another process maintains the database; try again")
        try:
            return _made(connection, outgrown, grown)
        finally:  # a closed connection's lock is released only some time later
            connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def _made(connection: psycopg.Connection[Any], outgrown: int, grown: int) -> Maintained:
    needed = _needed(connection, outgrown)
    kept = {each.held.name for each in needed if each.held}
    made = [each.name for each in _indexes(connection)]
    unneeded = [name for name in made if name not in kept]
    _drop(connection, unneeded)
    connection.execute(WORK_MEMORY)
    new = [each for each in needed if each.lacks(outgrown, grown)]
    for each in new:
        _make(connection, each)
    replaced = [each.held.name for each in new if each.held]
    _drop(connection, replaced)
    dropped = len(unneeded) + len(replaced)
    return Maintained(len(new), dropped, len(made) - dropped)


def _make(connection: psycopg.Connection[Any], each: Outgrown) -> None:
    connection.execute(
        sql.SQL(MAKE).format(
            name=sql.Identifier(each.name),
            size=sql.Literal(each.size),
            owner=sql.Literal(each.owner),
            model=sql.Literal(each.model),
            last=sql.Literal(each.last),
        )
    )


def _drop(connection: psycopg.Connection[Any], names: Sequence[str]) -> None:
    for name in names:
        connection.execute(sql.SQL(DROP).format(name=sql.Identifier(name)))


def _needed(connection: psycopg.Connection[Any], outgrown: int) -> list[Outgrown]:
    """Return the vectors that have or need an index, across all owners.

    Row-level security is forced even on the tables' owner; it is lifted in a transaction that is
    rolled back, so that nobody else ever sees the tables without it.
    """
    with connection.transaction(force_rollback=True):
        if not _passes(connection):
            for table in TABLES:
                connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY".encode())
        return _seen(connection, outgrown)


def _seen(connection: psycopg.Connection[Any], outgrown: int) -> list[Outgrown]:
    held = {each.prefix: each for each in _indexes(connection) if each.valid}
    found = []
    for owner, memories in _rows(connection, OWNERS, outgrown // 2):
        for model, last, size in connection.execute(MODELS, {"owner": owner}).fetchall():
            if size <= LARGEST_VECTOR:
                index = held.get(index_of(owner, model))
                later = _later(connection, owner, model, index)
                found.append(Outgrown(owner, memories, model, last, size, index, later))
    return found


def _later(connection: psycopg.Connection[Any], owner: str, model: str, index: Made | None) -> int:
    if index is None or index.last is None:
        return 0
    return int(_rows(connection, LATER, owner, model, index.last)[0][0])


def _indexes(connection: psycopg.Connection[Any]) -> list[Made]:
    return [Made(*row) for row in _rows(connection, MADE)]


def _lacking(access: Access) -> int:
    with _connected(access) as connection:
        return sum(each.lacks(OUTGROWN, GROWN) for each in _seen(connection, OUTGROWN))


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
    """Yield an administrator's connection; each statement is its own transaction."""
    try:
        with psycopg.connect(access.admin, autocommit=True) as connection:
            yield connection
    except psycopg.Error as error:
        fault = type(error).__name__
        raise DatabaseUnavailable(f"the database could not be maintained ({fault})") from None
