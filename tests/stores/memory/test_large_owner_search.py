"""Search at size: the right plan, the nearest of every owner, and what is cut is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import psycopg
import pytest
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.memory.import_rows import store_many
from reasonloom.stores.memory.search import vector_search
from reasonloom.stores.memory.search.lexical_search import lexical_query
from reasonloom.stores.memory.search.query_terms import FEW, weigh_terms
from reasonloom.stores.memory.search.retrieval import candidates, find_nearest
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.vector_indexes import Maintained, lacking, maintain
from reasonloom.stores.vectors import bits, distinct, index_of
from tests.support.calls import recalled, remember
from tests.support.databases.vectors import MODEL, analyze, dice_of, exact, fill, memory, vector


@pytest.fixture
async def one_connection(access: Access) -> AsyncIterator[Database]:
    database = Database(access, connections=1)
    yield database
    await database.close()


async def shares(database: Database, access: Access, owners: Sequence[str]) -> list[float]:
    """Return the share of the ten nearest that each owner is given, asked in that order."""
    found = []
    for number, owner in enumerate(owners):
        near = Nearness(vector(dice_of(number)), MODEL, SECTORS)
        async with database.begin(Caller(owner), searching=True) as tx:
            given = await find_nearest(tx, near, scope=Scope(), pool=200)
        wanted = exact(access, owner, near)
        found.append(len(set(list(given)[:10]) & set(wanted)) / len(wanted))
    return found


async def test_every_owner_finds_their_nearest_whoever_asked_before(
    access: Access, one_connection: Database
) -> None:
    dice = dice_of(3)
    sizes = {f"owner {n}": max(1, int(3000 * (n / 200) ** 6)) for n in range(1, 201)}
    for owner, size in sizes.items():
        await fill(one_connection, owner, size)
    analyze(access)
    await maintain(access, outgrown=2_500)
    callers = [*sizes, *sizes]
    dice.shuffle(callers)
    assert min(await shares(one_connection, access, callers)) >= 0.98


async def test_who_outgrew_exact_search_is_searched_by_an_index_of_their_own(
    access: Access, one_connection: Database
) -> None:
    await fill(one_connection, "large", 3_000)
    await fill(one_connection, "small", 30)
    analyze(access)
    assert await maintain(access, outgrown=2_000) == Maintained(made=1, dropped=0, kept=0)
    assert await maintain(access, outgrown=2_000) == Maintained(made=0, dropped=0, kept=1)
    assert index_of("large", MODEL) in await dense_plan(one_connection, "large")
    assert "embeddings_pkey" in await dense_plan(one_connection, "small")
    assert min(await shares(one_connection, access, ["large", "small"] * 10)) >= 0.9
    assert await maintain(access, outgrown=9_000) == Maintained(made=0, dropped=1, kept=0)
    assert index_of("large", MODEL) not in await dense_plan(one_connection, "large")


async def dense_plan(database: Database, owner: str) -> str:
    near, scope = Nearness(vector(dice_of(1)), MODEL, SECTORS), Scope()
    async with database.begin(Caller(owner), searching=True) as tx:
        shape = vector_search.nearest_query(near, scope, await weigh_terms(tx, "", near.model), 200)
        values = {**scope.values(), **near.values(), **shape.values, "pool": 200}
        explaining = tx.all(text(f"EXPLAIN {shape.sql}"), values)
        rows = await vector_search.tuned(tx, shape, explaining)
    return "\n".join(row[0] for row in rows)


async def test_no_search_reads_a_whole_table(access: Access, one_connection: Database) -> None:
    contents = [f"word{number % 400} common" for number in range(4_000)]
    await fill(one_connection, "large", 4_000, contents)
    await fill(one_connection, "small", 500, contents)
    analyze(access)
    large = await word_plan(one_connection, "large", "Where is word7 common?")
    assert "memories_by_context_word" in large
    small = await word_plan(one_connection, "small", "Where is word7 common?")
    assert "Index Cond: (owner = 'small'::text)" in small
    assert "memories_by_context_word" not in small
    dense = [await dense_plan(one_connection, owner) for owner in ("large", "small")]
    assert all("Seq Scan" not in plan for plan in (large, small, *dense))


async def word_plan(database: Database, owner: str, question: str) -> str:
    """Return the plan as the app's role gets it, under row-level security."""
    async with database.begin(Caller(owner), searching=True) as tx:
        sql, values = lexical_query(await weigh_terms(tx, question, None), Scope())
        given = {**Scope().values(), **values, "pool": 200}
        rows = await tx.all(text(f"EXPLAIN {sql}"), given)
    return "\n".join(row[0] for row in rows)


async def test_a_large_owner_is_searched_by_the_rarest_words(one_connection: Database) -> None:
    contents = ["common lantern", *["common thing"] * 2_999]
    await fill(one_connection, "large", 3_000, contents)
    async with one_connection.begin(Caller("large"), searching=True) as tx:
        asked = await weigh_terms(tx, "common lantern unheard", None)
        assert [(word.lexeme, word.held) for word in asked.words] == [
            ("lantern", 1),
            ("common", 3_000),
            ("unheard", 0),
        ]
        assert [word.lexeme for word in asked.sought()] == ["lantern"]
        assert asked.cut
        found = await candidates(tx, asked, None, scope=Scope(), pool=200)
        (only,) = found
        assert only.id == 1
        whole = asked.whole
        share = (asked.words[0].weight + asked.words[1].weight) / whole
        assert only.coverage == only.context == pytest.approx(share)
        common = await weigh_terms(tx, "common", None)
        only_common = await candidates(tx, common, None, scope=Scope(), pool=200)
        assert len(only_common) == 200


async def test_a_small_owner_is_searched_by_all_words(one_connection: Database) -> None:
    assert FEW >= 1_000
    await fill(one_connection, "small", 1_000, ["common lantern", *["common thing"] * 999])
    async with one_connection.begin(Caller("small"), searching=True) as tx:
        asked = await weigh_terms(tx, "common lantern", None)
        found = await candidates(tx, asked, None, scope=Scope(), pool=2_000)
    assert (len(found), asked.cut) == (1_000, False)


async def test_what_may_not_be_seen_takes_no_place(
    access: Access, one_connection: Database
) -> None:
    """Where the nearest are hidden, the nearest of the others are found all the same."""
    await fill(one_connection, "owner", 900)
    near = Nearness(vector(dice_of(5)), MODEL, SECTORS)
    with psycopg.connect(access.admin) as connection:
        hidden = connection.execute(
            "UPDATE memories SET deleted_at = now() WHERE owner = 'owner' AND id IN (SELECT "
            "memory_id FROM embeddings WHERE owner = 'owner' GROUP BY memory_id "
            "ORDER BY min(embedding <=> %s::halfvec) LIMIT 400) RETURNING id",
            (near.values()["vector"],),
        ).fetchall()
    async with one_connection.begin(Caller("owner"), searching=True) as tx:
        found = await find_nearest(tx, near, scope=Scope(), pool=50)
        semantic = await find_nearest(
            tx, Nearness(near.vector, MODEL, ["semantic"]), scope=Scope(), pool=50
        )
    assert (len(found), len(semantic)) == (50, 50)
    assert not found.keys() & {row[0] for row in hidden}
    assert any(found[key] > semantic.get(key, -1) for key in found)


async def test_forty_callers_share_five_connections(engine: Engine) -> None:
    await remember(engine, "Green tea in the tin.")
    calls = [
        remember(engine, f"Note {number} about green tea.", sessionId=f"s{number % 3}")
        if number % 2
        else recalled(engine, f"green tea note {number}")
        for number in range(40)
    ]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert [each for each in answers if isinstance(each, BaseException)] == []
    assert len(await recalled(engine, "green tea note", limit=50)) == 21


def test_views_that_are_the_same_are_written_once() -> None:
    shared, texts = distinct({"semantic": [1.0, 0.0], "episodic": [0.0, 1.0], "emotional": [1, 0]})
    assert shared == [bits(["semantic", "emotional"]), bits(["episodic"])]
    assert texts == ["[1,0]", "[0,1]"]


async def test_a_batch_is_stored_once_and_in_order(one_connection: Database) -> None:
    dice = dice_of(1)
    batch = [memory("owner", number, dice) for number in range(5)]
    async with one_connection.begin(Caller("owner")) as tx:
        assert await store_many(tx, batch[:3]) == [1, 2, 3]
    async with one_connection.begin(Caller("owner")) as tx:
        assert await store_many(tx, [batch[4], batch[1], batch[3], batch[4]]) == [4, 2, 5, 4]
        counts = text("SELECT memory_count, last_memory FROM owners")
        assert tuple((await tx.all(counts))[0]) == (5, 5)
        assert await store_many(tx, []) == []


async def test_batches_at_once_take_numbers_of_their_own(access: Access) -> None:
    database = Database(access)
    dice = dice_of(1)

    async def batch(first: int) -> list[int]:
        made = [memory("owner", number, dice) for number in range(first, first + 20)]
        async with database.begin(Caller("owner")) as tx:
            return await store_many(tx, made)

    ids = await asyncio.gather(*(batch(first) for first in (0, 10, 20, 30, 10)))
    assert sorted({each for given in ids for each in given}) == list(range(1, 51))
    assert ids[1] == ids[4]
    await database.close()


async def test_owners_who_outgrew_are_told_of(access: Access, one_connection: Database) -> None:
    await fill(one_connection, "owner", 10)
    assert await lacking(access) == 0
    with psycopg.connect(access.admin) as connection:
        connection.execute("UPDATE owners SET memory_count = 1000000")
    assert await lacking(access) == 1
