"""Builds vector indexes for owners who have outgrown exact search.

One index over all owners would answer a small owner with almost nothing, and cost every insert
of everybody. A partial index holds the vectors of one owner and one model alone: what it finds
is that owner's, and nobody else pays for it. It ends at the owner's last memory of that moment:
what is stored later does not enter it, which would take ten times what storing takes otherwise,
and is searched exactly until there is so much of it that a new index takes the old one's place.
It is made by whoever administers the database (`reasonloom db maintain`), while the server runs,
and may be asked for again at any time.
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
"""Memories of one owner, some 20,000 vectors, that exact search takes some ten milliseconds for."""

GROWN = 2_500
"""Memories after an index's last that it is made anew for: searching them takes some five ms."""

LARGEST_VECTOR = 4_000
"""Numbers of a vector that pgvector can index as a `halfvec`."""

LOCK = 7_309_453_217
"""The advisory lock under which one process maintains; any other constant will do."""

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
"""The indexes there are, those of all memories first, then by their last memory."""
MAKE = """
CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON embeddings
USING hnsw ((CAST(embedding AS halfvec({size}))) halfvec_cosine_ops) WITH (m = 24)
WHERE owner = {owner} AND model = {model} AND memory_id <= CAST({last} AS bigint)
"""
DROP = "DROP INDEX CONCURRENTLY IF EXISTS {name}"
WORK_MEMORY = "SET maintenance_work_mem = '512MB'"


@dataclass(frozen=True, slots=True)
class Made:
    """An index of nearness: its owner's and model's prefix, and its last memory (None: all)."""

    name: str
    prefix: str
    last: int | None
    valid: bool


@dataclass(frozen=True, slots=True)
class Outgrown:
    """An owner's vectors of one model that have an index of their own or are to have one.

    Attributes:
        memories: of the owner, in all.
        last: the last memory that has such a vector.
        held: the index there is.
        later: memories that it does not hold because they came after its last.
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
        """The name of an index that is made now."""
        return f"{index_of(self.owner, self.model)}_{self.last}"

    def lacks(self, outgrown: int, grown: int) -> bool:
        """Tell whether an index is to be made, or made anew."""
        if self.held is None:
            return self.memories >= outgrown
        return self.held.last is None or self.later > grown


@dataclass(frozen=True, slots=True)
class Maintained:
    """How many indexes were made, dropped as not needed or replaced, and left as they were."""

    made: int
    dropped: int
    kept: int


async def maintain(access: Access, *, outgrown: int = OUTGROWN, grown: int = GROWN) -> Maintained:
    """Make the indexes that lack, and drop those that were left half-made or are not needed.

    One that more than `grown` memories came after is made anew before the old one goes, and so
    is one that holds all, as they once did. Nobody waits for it. An owner keeps an index down to
    half of `outgrown` memories.

    Raises:
        DatabaseUnavailable: not reachable, or another process maintains it.
    """
    return await asyncio.to_thread(_maintain, access, outgrown, grown)


async def lacking(access: Access) -> int:
    """Return how many indexes `maintain` would make, as far as the login may see it."""
    return await asyncio.to_thread(_lacking, access)


def _maintain(access: Access, outgrown: int, grown: int) -> Maintained:
    with _connected(access) as connection:
        if not _rows(connection, "SELECT pg_try_advisory_lock(%s)", LOCK)[0][0]:
            raise DatabaseUnavailable("another process maintains the database; try again")
        try:
            return _made(connection, outgrown, grown)
        finally:  # a closed connection lets go of its lock only some time after
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
    """Return what is indexed or to be indexed, seen as the tables' owner sees it.

    Row-level security is forced on that owner too; it is lifted in a transaction that is
    rolled back, so that nobody else ever meets the tables without it.
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
    """Yield an administrator's connection; each statement is a transaction."""
    try:
        with psycopg.connect(access.admin, autocommit=True) as connection:
            yield connection
    except psycopg.Error as error:
        fault = type(error).__name__
        raise DatabaseUnavailable(f"the database could not be maintained ({fault})") from None
