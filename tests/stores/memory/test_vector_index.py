"""An owner's own index of nearness ends at a number; what came later is found all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.import_rows import store_many
from reasonloom.stores.memory.reindex import LARGEST_ID
from reasonloom.stores.memory.revisions import replace_vectors
from reasonloom.stores.memory.search import similarity, vector_search
from reasonloom.stores.memory.search.query_terms import weigh_terms
from reasonloom.stores.memory.search.retrieval import find_nearest
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.vector_indexes import Maintained, maintain
from reasonloom.stores.vectors import index_of
from tests.support.databases.vectors import (
    MODEL,
    NOW,
    SIZE,
    analyze,
    dice_of,
    exact,
    fill,
    memory,
    vector,
)

HELD, LATER = 3_000, 300
NO_LONGER = """
CREATE INDEX {name} ON embeddings
USING hnsw ((CAST(embedding AS halfvec({size}))) halfvec_cosine_ops) WITH (m = 24)
WHERE owner = 'large' AND model = {model}
"""
"""An index as it was made before it ended at a number."""


@pytest.fixture
async def one_connection(access: Access) -> AsyncIterator[Database]:
    database = Database(access, connections=1)
    yield database
    await database.close()


def near_to(seed: str | int) -> Nearness:
    return Nearness(vector(dice_of(seed)), MODEL, SECTORS)


async def found(
    database: Database, near: Nearness, *, owner: str = "large", pool: int = 200
) -> dict[int, float]:
    async with database.begin(Caller(owner), searching=True) as tx:
        return await find_nearest(tx, near, scope=Scope(), pool=pool)


async def last_indexed(database: Database, owner: str = "large") -> int | None:
    async with database.begin(Caller(owner), searching=True) as tx:
        return (await weigh_terms(tx, "", near_to(1).model)).indexed


async def plan(database: Database, owner: str = "large") -> str:
    near, scope = near_to(1), Scope()
    async with database.begin(Caller(owner), searching=True) as tx:
        shape = vector_search.nearest_query(near, scope, await weigh_terms(tx, "", near.model), 200)
        values = {**scope.values(), **near.values(), **shape.values, "pool": 200}
        explaining = tx.all(text(f"EXPLAIN {shape.sql}"), values)
        rows = await vector_search.tuned(tx, shape, explaining)
    return "\n".join(row[0] for row in rows)


def rows(access: Access, query: str) -> list[tuple[Any, Any]]:
    with psycopg.connect(access.admin, autocommit=True) as connection:
        return connection.execute(query.encode()).fetchall()


def sizes(access: Access) -> dict[object, object]:
    """Return the bytes of each index of nearness there is."""
    query = "SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relname ~ '^near_'"
    return dict(rows(access, query))


async def grown(database: Database, access: Access, owner: str = "large") -> None:
    """Store HELD memories, index them, and store LATER more."""
    await fill(database, owner, HELD)
    analyze(access)
    await maintain(access, outgrown=2_000)
    await fill(database, owner, LATER, first=HELD)


async def test_what_came_after_the_index_is_found_in_its_place(
    access: Access, one_connection: Database
) -> None:
    await grown(one_connection, access)
    assert await last_indexed(one_connection) == HELD
    name = f"{index_of('large', MODEL)}_{HELD}"
    assert name in await plan(one_connection)
    assert f"memory_id > '{HELD}'::bigint" in await plan(one_connection)
    seen: list[float] = []
    mixed = 0
    for seed in range(20):
        near = near_to(f"asked {seed}")
        given, wanted = await found(one_connection, near), exact(access, "large", near)
        assert list(given.values()) == sorted(given.values(), reverse=True)
        best = list(given)[:10]
        assert {key for key in wanted if key > HELD} <= set(best)
        mixed += best == wanted and min(best) <= HELD < max(best)
        seen.append(len(set(best) & set(wanted)) / 10)
    assert min(seen) >= 0.9
    assert mixed >= 5  # the two parts are merged by distance, in the order of an exact search


async def test_a_memory_is_found_as_soon_as_it_is_stored(
    access: Access, one_connection: Database
) -> None:
    await grown(one_connection, access)
    before = sizes(access)
    new = memory("large", 9_999, dice_of("new"), "Привет, café 東京 🙂")
    near = Nearness(new.vectors["semantic"], MODEL, SECTORS)
    async with one_connection.begin(Caller("large"), searching=True) as tx:
        stored = (await store_many(tx, [new]))[0]
        assert next(iter(await find_nearest(tx, near, scope=Scope(), pool=5))) == stored
        asked = await weigh_terms(tx, "Привет café", near.model)
        judged = await similarity.most_similar(tx, asked, near, scope=Scope(), pool=5)
        assert stored in {each.id for each in judged if each.near}
    assert next(iter(await found(one_connection, near))) == stored
    assert sizes(access) == before  # the index took nothing in


async def test_vectors_made_anew_are_found_on_both_sides(
    access: Access, one_connection: Database
) -> None:
    await grown(one_connection, access)
    for number in (7, HELD, HELD + 1, HELD + LATER):
        near = near_to(f"anew {number}")
        async with one_connection.begin(Caller("large")) as tx:
            given = {str(sector): near.vector for sector in SECTORS}
            await replace_vectors(tx, number, given, MODEL)
        assert next(iter(await found(one_connection, near))) == number
        async with one_connection.begin(Caller("large")) as tx:
            assert await memories.hide(tx, number, NOW)
        assert number not in await found(one_connection, near)


async def test_maintaining_moves_the_end_once_enough_came_after_it(
    access: Access, one_connection: Database
) -> None:
    await grown(one_connection, access)
    asked = [near_to(f"asked {seed}") for seed in range(5)]
    before = [list(await found(one_connection, near))[:10] for near in asked]
    kept = await maintain(access, outgrown=2_000, grown=LATER)
    assert kept == Maintained(made=0, dropped=0, kept=1)
    assert await last_indexed(one_connection) == HELD
    moved = await maintain(access, outgrown=2_000, grown=LATER - 1)
    assert moved == Maintained(made=1, dropped=1, kept=0)
    assert await last_indexed(one_connection) == HELD + LATER
    assert list(sizes(access)) == [f"{index_of('large', MODEL)}_{HELD + LATER}"]
    after = [list(await found(one_connection, near))[:10] for near in asked]
    assert sum(len(set(a) & set(b)) for a, b in zip(before, after, strict=True)) >= 45
    again = await maintain(access, outgrown=2_000, grown=LATER - 1)
    assert again == Maintained(made=0, dropped=0, kept=1)


async def test_an_index_of_all_memories_works_until_it_is_replaced(
    access: Access, one_connection: Database
) -> None:
    await fill(one_connection, "large", HELD)
    analyze(access)
    old = index_of("large", MODEL)
    with psycopg.connect(access.admin, autocommit=True) as connection:
        values = {"name": sql.Identifier(old), "size": sql.Literal(SIZE)}
        connection.execute(sql.SQL(NO_LONGER).format(**values, model=sql.Literal(MODEL)))
    assert await last_indexed(one_connection) == LARGEST_ID
    print(await plan(one_connection))
    assert old in await plan(one_connection)
    await fill(one_connection, "large", 5, first=HELD)
    dice = dice_of(f"large/{HELD}")
    first_later = Nearness(vector(dice), MODEL, SECTORS)
    assert next(iter(await found(one_connection, first_later))) == HELD + 1
    done = await maintain(access, outgrown=2_000)
    assert done == Maintained(made=1, dropped=1, kept=0)
    assert list(sizes(access)) == [f"{old}_{HELD + 5}"]
    assert next(iter(await found(one_connection, first_later))) == HELD + 1


async def test_each_owner_has_an_end_of_their_own(access: Access, one_connection: Database) -> None:
    await fill(one_connection, "other", HELD + 50)
    await grown(one_connection, access)
    assert await last_indexed(one_connection) == HELD
    assert await last_indexed(one_connection, "other") == HELD + 50
    near = Nearness(vector(dice_of(f"large/{HELD}")), MODEL, SECTORS)
    assert max((await found(one_connection, near)).values()) > 0.999
    theirs = await found(one_connection, near, owner="other")
    assert max(theirs.values()) < 0.95
    assert max(theirs) <= HELD + 50


async def test_an_index_left_half_made_is_neither_asked_nor_kept(
    access: Access, one_connection: Database
) -> None:
    await grown(one_connection, access)
    name = index_of("large", MODEL)
    with psycopg.connect(access.admin, autocommit=True) as connection:
        connection.execute(f"CREATE INDEX {name}_{HELD + 9} ON embeddings (memory_id)".encode())
        connection.execute(
            "UPDATE pg_index SET indisvalid = false "
            f"WHERE indexrelid = '{name}_{HELD + 9}'::regclass".encode()
        )
    assert await last_indexed(one_connection) == HELD
    done = await maintain(access, outgrown=2_000)
    assert done == Maintained(made=0, dropped=1, kept=1)
    assert list(sizes(access)) == [f"{name}_{HELD}"]
