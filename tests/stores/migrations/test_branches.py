"""Sessions from before there were branches: they go on on a root branch of their own."""

from __future__ import annotations

import asyncio
from uuid import UUID

import psycopg

from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.schema import newest_step
from tests.support.databases.versions import as_of
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import answered, thinking, whole

SESSION, EMPTY = UUID(int=1), UUID(int=2)
THOUGHT = """
INSERT INTO thoughts (owner, id, session_id, position, parent_id, mode, input, content, confidence,
    llm) VALUES ('local', %s, %s, %s, %s, 'linear', %s, %s, %s, 'offline')
"""


def old_database(access: Access) -> None:
    """Make the database as it was before branches, with a session of three thoughts in it.

    Two of them were made at once: they have the same parent, and by some accident one position.
    """
    as_of(access, "0005")
    with psycopg.connect(access.admin) as connection:
        connection.execute("INSERT INTO owners (owner, last_session) VALUES ('local', 2)")
        for number, session in enumerate((SESSION, EMPTY), 1):
            connection.execute(
                "INSERT INTO sessions (owner, id, number) VALUES ('local', %s, %s)",
                (session, number),
            )
        one, two, three = (UUID(int=number) for number in (11, 12, 13))
        for key, position, parent, word, sure in (
            (one, 1, None, "one", 0.5), (two, 2, one, "two", 0.6), (three, 2, one, "three", 0.7),
        ):  # fmt: skip
            values = (key, SESSION, position, parent, word, f"thought about {word}", sure)
            connection.execute(THOUGHT, values)


async def test_an_old_session_goes_on_on_its_root_branch(
    access: Access, embedder: Embedder
) -> None:
    await asyncio.to_thread(old_database, access)
    assert (await bring_up_to_date(access)).current == "0005"
    llm = TellingLlm()
    async with thinking(access, embedder, llm) as engine:
        found = await whole(engine, str(SESSION))
        assert [each.position for each in found.thoughts] == [1, 2, 3]
        (root,) = found.branches
        assert (root.id, root.number, root.name, root.state) == (SESSION, 0, "main", "active")
        assert (root.head_id, root.confidence) == (UUID(int=13), 0.7)
        assert {each.branch_id for each in found.thoughts} == {SESSION}
        await answered(engine, "linear", content="four", session_id=str(SESSION))
        assert llm.seen["four"] == ["thought about one", "thought about three"]
        assert [each.state for each in (await whole(engine, str(EMPTY))).branches] == ["active"]
    assert newest_step() >= "0006"
    with psycopg.connect(access.admin) as connection:
        connection.execute("DELETE FROM sessions")
        rows = connection.execute("SELECT count(*) FROM branches").fetchone()
    assert rows == (0,)
