"""Beginning sessions: numbers, current ones, metadata, what the one before left, one chain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, SessionNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import remember
from tests.support.memory.graph import query
from tests.support.memory.graph_sessions import (
    ME,
    answer,
    call_as,
    edges,
    fact,
    is_one_chain,
    nodes,
)

PHONE = Caller("local", client="phone")
ELSEWHERE = Caller("local", client="desk", project="garden")
OTHER = Caller("other", client="desk")


@pytest.fixture
async def second(settings: Settings, access: Access, embedder: Embedder) -> AsyncIterator[Engine]:
    """Another process's engine on the same database."""
    async with open_engine(settings, access=access, embedder=embedder) as opened:
        yield opened


async def test_numbers_go_up_by_one_for_each_owner(engine: Engine) -> None:
    mine = [(await answer(engine, "session_start"))["session_id"] for _ in range(3)]
    theirs = [(await answer(engine, "session_start", OTHER))["session_id"] for _ in range(2)]
    assert (mine, theirs) == ([1, 2, 3], [1, 2])
    begun = await answer(engine, "session_start", OTHER, session_id=3)
    assert (begun["session_id"], begun["continued"]) == (3, False), "another owner has a 3 already"
    assert (await answer(engine, "session_start", OTHER))["session_id"] == 4


async def test_what_is_added_goes_to_the_session_of_its_client_and_project(engine: Engine) -> None:
    callers = (ME, PHONE, ELSEWHERE)
    numbers = [(await answer(engine, "session_start", each))["session_id"] for each in callers]
    for caller, number in zip(callers, numbers, strict=True):
        added = await answer(
            engine, "memory_add", caller, event_type="fact", content=f"Факт {number} 事実."
        )
        assert added["session_id"] == number


async def test_a_session_is_opened_by_the_first_thing_stored_and_stays(engine: Engine) -> None:
    first = await answer(engine, "conversation_log", user_message="Grüß dich")
    then = await answer(engine, "memory_add", event_type="fact", content="Dann das.")
    assert (first["session_id"], then["session_id"]) == (1, 1)


async def test_a_number_that_is_not_there_begins_the_session_of_that_number(
    engine: Engine, access: Access
) -> None:
    await answer(engine, "session_start")
    outcome = await call_as(engine, "session_start", session_id=77, metadata={"a": 1})
    assert (outcome.answer["session_id"], outcome.answer["continued"]) == (77, False)
    assert "no session had the number 77: it was started" in outcome.notes
    added = await answer(engine, "memory_add", event_type="fact", content="In a chosen session.")
    assert added["session_id"] == 77
    again = await answer(engine, "session_start", session_id=77)
    assert (again["continued"], again["metadata"]) == (True, {"a": 1})
    assert (await answer(engine, "session_start", session_id=40))["session_id"] == 40
    assert (await answer(engine, "session_start"))["session_id"] == 78
    numbers = query(access, "SELECT number FROM sessions ORDER BY number")
    assert numbers == [(1,), (40,), (77,), (78,)]


async def test_two_that_begin_the_same_number_at_once_share_its_session(
    engine: Engine, second: Engine, access: Access
) -> None:
    both = (answer(each, "session_start", session_id=5) for each in (engine, second))
    begun = await asyncio.gather(*both)
    assert sorted(each["continued"] for each in begun) == [False, True]
    assert query(access, "SELECT number FROM sessions") == [(5,)]


async def test_a_number_of_another_space_cannot_be_taken(engine: Engine, access: Access) -> None:
    await remember(engine, "Ben has a dog.", userId="ben", sessionId="garden")
    with pytest.raises(SessionNotFound, match="Session not found: 1"):
        await answer(engine, "session_start", session_id=1)
    assert (await answer(engine, "session_start"))["session_id"] == 2


async def test_a_number_that_leaves_none_after_it_is_refused(
    engine: Engine, access: Access
) -> None:
    await answer(engine, "session_start")
    with pytest.raises(InvalidArgument, match="up to 2147483647, such as 2;") as refused:
        await answer(engine, "session_start", session_id=2**31, metadata={"a": 1})
    assert refused.value.field == "session_id"
    assert query(access, "SELECT number, metadata FROM sessions") == [(1, {})]
    added = await answer(engine, "memory_add", event_type="fact", content="Still here.")
    assert added["session_id"] == 1


async def test_an_earlier_session_is_gone_on_with_and_says_so(
    engine: Engine, access: Access
) -> None:
    first = await fact(engine, "Perché il sale è finito.")
    await answer(engine, "session_end")
    await answer(engine, "session_start")
    outcome = await call_as(engine, "session_start", session_id=1)
    assert (outcome.answer["session_id"], outcome.answer["continued"]) == (1, True)
    assert "open again" in outcome.notes[0]
    assert query(access, "SELECT ended_at FROM sessions WHERE number = 1") == [(None,)]
    later = await fact(engine, "E il pepe anche.")
    assert nodes(access, 1)[0] == first
    assert nodes(access, 1)[-1] == later
    assert is_one_chain(access, 1)


async def test_a_session_that_was_ended_is_not_taken_up_when_another_goes_on_with_it(
    engine: Engine,
) -> None:
    await fact(engine, "Mine.")
    await answer(engine, "session_end")
    await answer(engine, "session_start", PHONE, session_id=1)
    added = await answer(engine, "memory_add", event_type="fact", content="Mine, later.")
    assert added["session_id"] == 2


async def test_a_session_of_another_toolset_can_be_gone_on_with(
    engine: Engine, access: Access
) -> None:
    await remember(engine, "Anna has a cat.", sessionId="kitchen")
    begun = await answer(engine, "session_start", session_id=1)
    assert (begun["session_id"], begun["continued"]) == (1, True)
    later = await fact(engine, "The cat is called Мурка 🐈.")
    assert edges(access, "temporal_next", 1) == [(1, later)]


async def test_metadata_is_kept_merged_and_told_back(engine: Engine) -> None:
    given = {"ticket": "RL-7", "où": {"ville": "Łódź", "空": ["🙂", 1.5, True]}}
    assert (await answer(engine, "session_start", metadata=given))["metadata"] == given
    again = await answer(engine, "session_start", session_id=1, metadata={"ticket": "RL-8"})
    assert again["metadata"] == {**given, "ticket": "RL-8"}
    assert (await answer(engine, "session_start", session_id=1))["metadata"] == again["metadata"]
    assert (await answer(engine, "session_start"))["metadata"] == {}


async def test_metadata_has_a_bound_that_merging_does_not_pass(
    engine: Engine, access: Access
) -> None:
    with pytest.raises(InvalidArgument, match="metadata: a session keeps at most 16384 bytes"):
        await answer(engine, "session_start", metadata={"a": "é" * 9_000})
    assert query(access, "SELECT count(*) FROM sessions") == [(0,)]
    await answer(engine, "session_start", metadata={"a": "x" * 9_000})
    with pytest.raises(InvalidArgument, match="metadata") as refused:
        await answer(engine, "session_start", session_id=1, metadata={"b": "x" * 9_000})
    assert refused.value.field == "metadata"
    ((kept,),) = query(access, "SELECT metadata FROM sessions")
    assert list(kept) == ["a"]


async def test_metadata_may_be_nested_as_deeply_as_it_can_be_sent(engine: Engine) -> None:
    nested: dict[str, object] = {}
    for _ in range(150):
        nested = {"a": nested}
    assert (await answer(engine, "session_start", metadata=nested))["metadata"] == nested


async def test_what_the_session_before_left_is_told(engine: Engine) -> None:
    first = await answer(engine, "session_start")
    assert first["previous"] == {
        "session_id": None, "ended": False, "episode": None,
        "recent_decisions": [], "recent_facts": [],
    }  # fmt: skip
    decision = await fact(engine, "Wir nehmen Postgres.", event_type="decision")
    old = await fact(engine, "Anna is fifteen.")
    new = (
        await answer(engine, "memory_correct", old_node_id=old, new_content="Anna is fünfzehn.")
    )["new_node_id"]
    ended = await answer(engine, "session_end", summary="Datenbank gewählt 🐘.")
    await answer(engine, "session_start")
    await answer(engine, "session_start")
    previous = (await answer(engine, "session_start"))["previous"]
    assert (previous["session_id"], previous["ended"]) == (1, True)
    assert previous["episode"]["node_id"] == ended["episode_id"]
    assert [each["node_id"] for each in previous["recent_decisions"]] == [decision]
    assert [each["node_id"] for each in previous["recent_facts"]] == [new]


async def test_a_session_left_open_is_pointed_out(engine: Engine) -> None:
    await fact(engine, "Left lying.")
    outcome = await call_as(engine, "session_start")
    assert outcome.answer["previous"]["ended"] is False
    assert any("session 1 was not ended" in note for note in outcome.notes)


async def test_another_project_and_another_owner_have_left_nothing(engine: Engine) -> None:
    await fact(engine, "Of no project.")
    await answer(engine, "session_end")
    for caller in (ELSEWHERE, OTHER):
        begun = await answer(engine, "session_start", caller)
        assert begun["previous"]["session_id"] is None


async def test_many_writers_of_two_processes_make_one_session_and_one_chain(
    engine: Engine, second: Engine, access: Access
) -> None:
    def writes(place: int) -> list[asyncio.Task[object]]:
        each = (engine, second)[place % 2]
        return [
            asyncio.ensure_future(fact(each, f"Fact № {place}: 事実.")),
            asyncio.ensure_future(
                answer(each, "conversation_log", user_message=f"q{place}", agent_response="a")
            ),
        ]

    await asyncio.gather(*(task for place in range(20) for task in writes(place)))
    assert query(access, "SELECT number FROM sessions") == [(1,)]
    assert len(nodes(access, 1)) == 20 + 2 * 20
    assert is_one_chain(access, 1)


async def test_nothing_slips_into_a_session_that_ends_at_the_same_moment(
    engine: Engine, second: Engine, access: Access
) -> None:
    for place in range(6):
        await fact(engine, f"First of round {place}.")
        await asyncio.gather(
            answer(engine, "session_end"),
            *(fact(second, f"Round {place}, fact {each}.") for each in range(4)),
        )
        await answer(engine, "session_end")
    late = """SELECT count(*) FROM memories m JOIN sessions s ON s.owner = m.owner
        AND s.id = m.session_id WHERE m.id > s.episode_id"""
    assert query(access, late) == [(0,)]
    numbers = [row[0] for row in query(access, "SELECT number FROM sessions ORDER BY 1")]
    assert all(is_one_chain(access, number) for number in numbers)
