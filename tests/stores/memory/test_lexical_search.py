"""Words of scripts without spaces are found inside, and words in context stay true."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.migrate import bring_up_to_date
from tests.stores.memory.test_term_statistics import SESSION, both
from tests.support.calls import call, recalled, remember
from tests.support.databases.versions import as_of

INSIDE = {
    "Chinese": ("我昨天在北京的图书馆借了一本书。", "图书馆", "天气"),
    "Japanese": ("昨日は東京で友達と寿司を食べました。", "寿司", "電車"),
    "Thai": ("เมื่อวานฉันกินข้าวผัดที่ตลาด", "ข้าวผัด", "รถไฟ"),
    "Korean": ("어제도서관에서책을빌렸다", "도서관", "비행기"),
}
STALE = """
SELECT count(*) FROM memories m WHERE deleted_at IS NULL AND context_words
    <> context_of(owner, session_id, source_kind, id, words)
"""
CONTEXT = "SELECT context_words @@ %s::tsquery FROM memories WHERE id = %s"


@pytest.mark.parametrize("language", INSIDE)
async def test_words_inside_a_run_are_found_by_words_alone(
    access: Access, engine: Engine, language: str
) -> None:
    content, inside, elsewhere = INSIDE[language]
    await remember(engine, content)
    await remember(engine, "Nothing but English here.", sessionId="another")
    with psycopg.connect(access.admin) as connection:
        query = """SELECT content FROM memories
            WHERE words @@ (SELECT string_agg('''' || w || '''', ' & ')::tsquery
                FROM unnest(asked_words(%s)) w)"""
        assert connection.execute(query, (inside,)).fetchall() == [(content,)]
        assert connection.execute(query, (elsewhere,)).fetchall() == []
    assert (await recalled(engine, inside))[0] == content
    stored, counted = both(access)
    assert stored == counted


async def test_one_letter_is_found_wherever_it_stands(engine: Engine) -> None:
    await remember(engine, "白い猫")
    await remember(engine, "犬が好き", sessionId="another")
    assert (await recalled(engine, "猫"))[0] == "白い猫"


async def test_pairs_of_letters_disturb_no_phrase(engine: Engine) -> None:
    await remember(engine, "Green 東京 tea is served at noon.")
    await remember(engine, "Green tea 東京 is served.", sessionId="another")
    found = await call(engine, "search", {"userId": "local", "text": '"green tea"'})
    assert [each["content"] for each in found.answer["memories"]] == ["Green tea 東京 is served."]
    inside = await call(engine, "search", {"userId": "local", "text": "東京"})
    assert inside.answer["totalCount"] == 2
    assert all("東京" in each["matchedTerms"] for each in inside.answer["memories"])


async def test_a_long_text_without_spaces_is_stored(engine: Engine) -> None:
    for start in (0x4E00, 0x5E00, 0x6E00):
        letters = "".join(chr(start + n % 4_000) for n in range(99_000))
        await remember(engine, f"{letters} lantern", sessionId="long")
    assert len(await recalled(engine, "lantern")) == 3


def holds(access: Access, word: str, memory: str) -> bool:
    with psycopg.connect(access.admin) as connection:
        number = int(memory.removeprefix("mem-"))
        row = connection.execute(CONTEXT, (word, number)).fetchone()
        assert connection.execute(STALE).fetchone() == (0,)
    return bool(row and row[0])


async def test_words_in_context_follow_what_came_before(access: Access, engine: Engine) -> None:
    """A memory that is changed, hidden, restored or erased is that also to the two after it."""
    contents = ["Zeroth note.", "A greyhound ran.", "It rained.", "It snowed.", "It froze."]
    ids = [await remember(engine, content) for content in contents]
    assert [holds(access, "greyhound", each) for each in ids] == [False, True, True, True, False]
    changes = {"userId": "local", "memoryId": ids[1], "content": "An ocelot ran."}
    await call(engine, "update_memory", changes)
    assert [holds(access, "ocelot", each) for each in ids] == [False, True, True, True, False]
    assert not holds(access, "greyhound", ids[3])
    await call(engine, "forget", {"userId": "local", "memoryId": ids[2], "soft": True})
    assert [holds(access, "ocelot", ids[place]) for place in (3, 4)] == [True, True]
    with psycopg.connect(access.admin) as connection:
        connection.execute("UPDATE memories SET deleted_at = NULL")
    assert [holds(access, "ocelot", ids[place]) for place in (3, 4)] == [True, False]
    await call(engine, "forget", {"userId": "local", "memoryId": ids[1]})
    assert [holds(access, "ocelot", ids[place]) for place in (2, 3)] == [False, False]
    assert holds(access, "zeroth", ids[3])


async def test_neighbours_may_be_changed_at_once(access: Access, engine: Engine) -> None:
    ids = [await remember(engine, f"Note {number}.") for number in range(8)]
    changes = [
        call(
            engine,
            "update_memory",
            {"userId": "local", "memoryId": each, "content": f"Word{number}x{turn} changed."},
        )
        for turn in range(3)
        for number, each in enumerate(ids)
        if number != 4
    ]
    await asyncio.gather(*changes, call(engine, "forget", {"userId": "local", "memoryId": ids[4]}))
    assert not holds(access, "note", ids[7])
    stored, counted = both(access)
    assert stored == counted


async def test_what_moves_up_while_a_change_waits_is_changed_too(
    access: Access, engine: Engine
) -> None:
    """The memory after a changed one is being removed by somebody else."""
    ids = [await remember(engine, content) for content in ("A greyhound ran.", "Gone.", "B.", "C.")]
    numbers = [int(each.removeprefix("mem-")) for each in ids]
    with psycopg.connect(access.admin) as remover:
        remover.execute("UPDATE memories SET deleted_at = now() WHERE id = %s", (numbers[1],))
        with psycopg.connect(access.admin) as changer, ThreadPoolExecutor(1) as apart:
            change = "UPDATE memories SET content = 'An ocelot ran.' WHERE id = %s"
            waiting = apart.submit(changer.execute, change, (numbers[0],))
            until_waiting(access, changer.info.backend_pid)
            remover.commit()
            waiting.result(30)
    assert holds(access, "ocelot", ids[3])


def until_waiting(access: Access, process: int) -> None:
    """Return when that process of the server waits for a lock."""
    with psycopg.connect(access.admin, autocommit=True) as connection:
        query = "SELECT wait_event_type FROM pg_stat_activity WHERE pid = %s"
        while connection.execute(query, (process,)).fetchone() != ("Lock",):
            time.sleep(0.05)


OLD = f"""
INSERT INTO sessions (owner, id, number) VALUES ('a', '{SESSION}', 1);
INSERT INTO memories (owner, id, session_id, event_type, sector, content, salience, importance,
    token_count, source_kind, principal, tool, effect, decay_rate)
SELECT 'a', n, '{SESSION}', 'fact', 'semantic', content, 1, 1, 1, 'user', 'a', 't',
    gen_random_uuid(), 0
FROM (VALUES (1, '東京で寿司'), (2, 'rained'), (3, 'snowed')) AS old (n, content);
UPDATE memories SET context_words = 'stale' WHERE id = 2;
INSERT INTO embeddings (owner, memory_id, sector, model, embedding)
SELECT 'a', id, view, 'm', CASE view WHEN 'episodic' THEN '[1,2]' ELSE '[2,1]' END::halfvec
FROM memories, unnest(ARRAY['episodic', 'semantic', 'procedural', 'emotional', 'reflective'])
    AS each (view);
"""


def old_database(access: Access) -> None:
    """Make the database as the third step left it, with memories in it."""
    as_of(access, "0003")
    with psycopg.connect(access.admin) as filled:
        filled.execute(OLD.encode())


async def test_what_was_stored_before_is_brought_along(access: Access) -> None:
    await asyncio.to_thread(old_database, access)
    await bring_up_to_date(access)
    with psycopg.connect(access.admin) as connection:
        query = "SELECT memory_id, sectors, embedding::text FROM embeddings ORDER BY 1, 2"
        vectors = connection.execute(query).fetchall()
    assert vectors == [
        (number, bits, vector)
        for number in (1, 2, 3)
        for bits, vector in ((1, "[1,2]"), (30, "[2,1]"))
    ]
    assert holds(access, "'寿司'", "mem-3")
    stored, counted = both(access)
    assert stored == counted
