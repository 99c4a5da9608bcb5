"""What is counted of words and tags always fits what is stored, whoever writes."""

from __future__ import annotations

import asyncio
from collections import Counter

import psycopg

from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.migrate import bring_up_to_date
from tests.support.calls import call, recalled, remember
from tests.support.databases.versions import as_of

STORED = """
SELECT kind, term, count(*) FROM (
    SELECT 'word' AS kind, unnest(tsvector_to_array(words)) AS term FROM memories
    WHERE deleted_at IS NULL AND source_kind <> 'derived'
    UNION ALL SELECT 'tag', unnest(tags) FROM memories
    WHERE deleted_at IS NULL AND source_kind <> 'derived'
    UNION ALL SELECT 'all', '' FROM memories
    WHERE deleted_at IS NULL AND source_kind <> 'derived'
) held GROUP BY kind, term
"""
SESSION = "11111111-1111-1111-1111-111111111111"
OLD_MEMORY = """
INSERT INTO memories (owner, id, session_id, event_type, sector, content, salience, importance,
    token_count, source_kind, principal, tool, effect, decay_rate, words)
VALUES ('a', %(id)s, %(session)s, 'fact', 'semantic', %(content)s, 1, 1, 1, 'user', 'a', 't',
    gen_random_uuid(), 0, to_tsvector('english', %(content)s))
"""
COUNTED = "SELECT kind, term, memories FROM terms WHERE memories > 0"


def both(access: Access) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    with psycopg.connect(access.admin) as connection:
        stored = connection.execute(STORED).fetchall()
        counted = connection.execute(COUNTED).fetchall()
    return (
        Counter({(kind, term): count for kind, term, count in stored}),
        Counter({(kind, term): count for kind, term, count in counted}),
    )


async def test_the_counts_fit_after_every_kind_of_write(engine: Engine, access: Access) -> None:
    first = await remember(engine, "Green tea in the tin.", metadata={"tags": ["Anna", "tea"]})
    second = await remember(engine, "Green apples in the cellar.", metadata={"tags": ["Anna"]})
    await call(engine, "reasoning_linear", {"content": "Where is the green tea?"})
    stored, counted = both(access)
    assert stored == counted
    assert counted["tag", "Anna"] == 2
    assert counted["all", ""] == 2
    await call(engine, "forget", {"userId": "local", "memoryId": first, "soft": True})
    await call(engine, "forget", {"userId": "local", "memoryId": second})
    stored, counted = both(access)
    assert stored == counted == Counter()


async def test_many_writers_at_once_count_right(engine: Engine, access: Access) -> None:
    await asyncio.gather(
        *(remember(engine, f"Green tea number {n} for Ben and Anna.") for n in range(20))
    )
    stored, counted = both(access)
    assert stored == counted


async def test_a_turn_is_found_by_the_words_of_the_turn_before(engine: Engine) -> None:
    await remember(engine, "Did you adopt the greyhound from the shelter?")
    await remember(engine, "Yes, last Sunday.")
    await remember(engine, "It rained all week.", sessionId="another session")
    found = await recalled(engine, "When was the greyhound adopted?")
    assert found[:2] == ["Did you adopt the greyhound from the shelter?", "Yes, last Sunday."]
    assert "It rained all week." not in found


async def test_a_rare_word_weighs_more_than_a_common_one(engine: Engine) -> None:
    for number in range(12):
        await remember(
            engine, f"The meeting about budget item {number} was long.", sessionId=f"s{number}"
        )
    await remember(engine, "Ocelots sleep by day.", sessionId="other")
    assert (await recalled(engine, "budget meeting ocelots"))[0] == "Ocelots sleep by day."


def old_database(access: Access) -> None:
    """Make the database as the first version left it, with two memories in it."""
    as_of(access, "0001")
    with psycopg.connect(access.admin) as connection:
        connection.execute(
            "INSERT INTO sessions (owner, id, number) VALUES ('a', %s, 1)", (SESSION,)
        )
        for number, content in ((1, "Green tea"), (2, "in the tin")):
            connection.execute(OLD_MEMORY, {"id": number, "session": SESSION, "content": content})


async def test_what_was_stored_before_is_indexed_by_the_migration(access: Access) -> None:
    await asyncio.to_thread(old_database, access)
    status = await bring_up_to_date(access)
    assert status.current == "0001"
    stored, counted = both(access)
    assert stored == counted
    assert counted["word", "tea"] == 1
    with psycopg.connect(access.admin) as connection:
        query = "SELECT context_words @@ 'tea'::tsquery FROM memories WHERE id = 2"
        assert connection.execute(query).fetchone() == (True,)
        spaces = connection.execute("SELECT owner, space FROM spaces").fetchall()
        keys = connection.execute("SELECT count(DISTINCT content_key) FROM memories").fetchone()
    assert (spaces, keys) == ([("a", "")], (2,))
