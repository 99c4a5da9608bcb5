"""What the store of chunks promises: who sees them, what stays when they change, what goes."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.history import chunk_links, chunk_lists, chunks, soft_deletes, transcripts
from reasonloom.stores.history.chunk_links import NewEdge
from reasonloom.stores.history.chunks import Lane
from reasonloom.stores.history.transcripts import TranscriptRow
from tests.support.history.chunks import BEGIN, FILE, chunk, stored, without_time

ANA, BEN = Caller("ana"), Caller("ben")
MEMORY = text("""
SELECT m.content, m.created_at, c.key, c.at, (SELECT CAST(embedding AS text) FROM embeddings e
    WHERE e.owner = m.owner AND e.memory_id = m.id) AS vector
FROM memories m JOIN chunks c ON c.owner = m.owner AND c.memory_id = m.id
WHERE m.owner = :owner AND m.id = :id
""")
LEFT = text("""
SELECT (SELECT count(*) FROM memories WHERE owner = :owner) AS memories,
    (SELECT count(*) FROM embeddings WHERE owner = :owner) AS vectors,
    (SELECT count(*) FROM edges WHERE owner = :owner) AS edges,
    (SELECT memory_count FROM owners WHERE owner = :owner) AS counted,
    (SELECT memories FROM terms WHERE owner = :owner AND kind = 'transcript_word'
        AND term = 'lighthous') AS lighthouses
""")
OTHER_FILE = TranscriptRow(UUID(int=8), "/talks/two.jsonl", "claude-code", "other")


async def test_numbers_are_given_in_order_and_each_owner_has_his_own(engine: Engine) -> None:
    database = engine.loom.database
    async with database.begin(ANA) as tx:
        assert await stored(tx, chunk("b"), chunk("a", at=1)) == [1, 2]
    async with database.begin(BEN) as tx:
        assert await stored(tx, chunk("a", "Mine alone.")) == [1]
        assert set(await chunks.known(tx, ["a", "b"])) == {"a"}
        assert [each.memory_id for each in (await chunks.of_transcript(tx, FILE)).values()] == [1]
    async with database.begin(ANA) as tx:
        known = await chunks.known(tx, ["a", "b", "c"])
        assert {key: each.memory_id for key, each in known.items()} == {"b": 1, "a": 2}
        assert list(await chunks.of_transcript(tx, FILE)) == ["b", "a"]


async def test_no_owner_sees_changes_or_removes_what_is_another_owners(engine: Engine) -> None:
    database = engine.loom.database
    async with database.begin(ANA) as tx:
        (first, second) = await stored(tx, chunk("a", "Ana's."), chunk("b", "Ana's, too.", at=1))
    async with database.begin(BEN) as tx:
        assert await chunk_links.chunks(tx, [first, second]) == {}
        assert await chunk_links.facts(tx, [first, second]) == []
        assert await chunk_lists.places(tx, [first, second]) == {}
        assert await stored(tx, chunk("c", "Ben's.")) == [first]
        await chunks.renew(tx, [(first, *chunk("d", "Ben's again."))])
        await chunks.adopt(tx, [second], FILE)
        assert len(await chunks.drop(tx, [first, second])) == 1
    async with database.begin(ANA) as tx:
        told = [each.content for each in await chunk_links.facts(tx, [first, second])]
        assert told == ["Ana's.", "Ana's, too."]
        assert set(await chunks.known(tx, ["a", "b", "c", "d"])) == {"a", "b"}


async def test_a_renewed_chunk_keeps_its_number_and_its_edges(engine: Engine) -> None:
    database = engine.loom.database
    async with database.begin(ANA) as tx:
        first, second = await stored(tx, chunk("a"), chunk("b", "It is open.", at=1))
        edge = NewEdge(second, first, "caused_by", 0.5, "cause", "both speak of berths")
        await chunk_links.replace(tx, [second], [edge])
    longer = chunk("b+", "It is open, the lighthouse too.", at=2, vector=(0.0, 1.0))
    async with database.begin(ANA) as tx:
        await chunks.renew(tx, [(second, *longer)])
    async with database.begin(ANA) as tx:
        assert set(await chunks.known(tx, ["b", "b+"])) == {"b+"}
        row = await tx.first(MEMORY, {"owner": "ana", "id": second})
        assert row is not None
        assert (row.content, row.vector) == ("It is open, the lighthouse too.", "[0,1]")
        assert row.at == row.created_at == longer[1].at
        (kept,) = await chunk_links.edges(tx, [second], fan=9)
        assert (kept.source, kept.target, kept.reason) == (second, first, "both speak of berths")
        left = await tx.first(LEFT, {"owner": "ana"})
        assert left is not None
        assert (left.memories, left.vectors, left.counted, left.lighthouses) == (2, 2, 2, 1)


async def test_a_renewed_chunk_without_a_time_keeps_the_one_it_had(engine: Engine) -> None:
    database = engine.loom.database
    async with database.begin(ANA) as tx:
        (number,) = await stored(tx, without_time(chunk("a")))
        await chunks.renew(tx, [(number, *without_time(chunk("a+", at=30)))])
        row = await tx.first(MEMORY, {"owner": "ana", "id": number})
        assert row is not None
        assert (row.at, row.created_at, row.key) == (BEGIN, BEGIN, "a+")


async def test_what_is_dropped_is_gone_with_all_of_it(engine: Engine) -> None:
    database = engine.loom.database
    async with database.begin(ANA) as tx:
        keep, gone = await stored(
            tx, chunk("a"), chunk("b", "The lighthouse.", at=1, agent="helper")
        )
        edge = NewEdge(gone, keep, "caused_by", 0.5, "cause", "why not")
        await chunk_links.replace(tx, [gone], [edge])
        lanes = await chunks.drop(tx, [gone, 99])
        assert lanes == [Lane("harbour", "s1", "helper", chunk("b", at=1)[1].at)]
    async with database.begin(ANA) as tx:
        left = await tx.first(LEFT, {"owner": "ana"})
        assert left is not None
        assert tuple(left) == (1, 1, 0, 1, 0)
        assert set(await chunks.known(tx, ["a", "b"])) == {"a"}


async def test_a_chunk_that_two_files_hold_goes_over_to_the_other(engine: Engine) -> None:
    async with engine.loom.database.begin(ANA) as tx:
        first, _ = await stored(tx, chunk("a"), chunk("b", at=1))
        await transcripts.make(tx, [OTHER_FILE])
        await chunks.adopt(tx, [first], OTHER_FILE.id)
        assert list(await chunks.of_transcript(tx, FILE)) == ["b"]
        assert list(await chunks.of_transcript(tx, OTHER_FILE.id)) == ["a"]
        await transcripts.remove(tx, FILE)
        assert set(await chunks.known(tx, ["a", "b"])) == {"a"}


async def test_what_is_forgotten_is_shown_nowhere_until_it_is_brought_back(engine: Engine) -> None:
    database = engine.loom.database
    async with database.begin(ANA) as tx:
        seen, hidden = await stored(tx, chunk("a"), chunk("b", at=1, session="s2"))
        forgotten = await soft_deletes.forget(tx, [hidden], "harbour", {}, BEGIN)
    both = [seen, hidden]
    async with database.begin(ANA) as tx:
        assert set(await chunk_links.chunks(tx, both)) == {seen}
        assert [each.id for each in await chunk_links.facts(tx, both)] == [seen]
        assert await chunk_links.first_of(tx, "harbour", ["s1", "s2"]) == {seen}
        assert set(await chunk_lists.places(tx, both)) == {seen}
        assert await chunk_lists.beginning(tx, "harbour", "s", 9) == ["s1"]
        known = await chunks.known(tx, ["a", "b"])
        assert {key: each.forgotten for key, each in known.items()} == {"a": False, "b": True}
        await soft_deletes.undo(tx, forgotten.number)
    async with database.begin(ANA) as tx:
        assert set(await chunk_links.chunks(tx, both)) == {seen, hidden}
        assert len(await chunk_links.facts(tx, both)) == 2


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("ab", ["ab", "ab-1", "abc"]),
        ("ab-", ["ab-1"]),
        ("a%", ["a%_"]),
        ("a_", []),
        ("", ["a%_", "ab", "ab-1", "abc", "été\\"]),
        ("été\\", ["été\\"]),
        ("AB", []),
    ],
)
async def test_sessions_are_found_by_how_they_begin(
    engine: Engine, start: str, found: list[str]
) -> None:
    names = ["abc", "ab-1", "ab", "a%_", "été\\"]
    async with engine.loom.database.begin(ANA) as tx:
        made = [chunk(f"{name}/{n}", at=n, session=name) for n, name in enumerate(names)]
        await stored(tx, *made, chunk("elsewhere", session="abz", project="other"))
    async with engine.loom.database.begin(ANA) as tx:
        assert await chunk_lists.beginning(tx, "harbour", start, 9) == found
