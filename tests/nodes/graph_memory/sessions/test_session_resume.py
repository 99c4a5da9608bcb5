"""Resuming: what to know when a conversation begins, of one project, most relevant first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.server.toolsets.table import TOOLSETS
from reasonloom.server.toolsets.toolset import Effect
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.clock import Clock
from tests.support.memory.graph import query
from tests.support.memory.graph_sessions import ME, answer, call_as, fact

GARDEN = Caller("local", client="desk", project="garden")
KITCHEN = Caller("local", client="desk", project="küche")
OTHER = Caller("other", client="desk")
EMPTY: dict[str, Any] = {
    "current_session": 1, "last_episode": None, "recent_decisions": [], "recent_facts": [],
    "recent_other": [], "total_loaded": 0,
}  # fmt: skip


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def engine(
    settings: Settings, access: Access, embedder: Embedder, clock: Clock
) -> AsyncIterator[Engine]:
    """An engine whose time stands until a test moves it."""
    async with open_engine(settings, access=access, embedder=embedder, clock=clock) as opened:
        yield opened


def ids(listed: list[dict[str, int]]) -> list[int]:
    return [each["node_id"] for each in listed]


async def test_a_fresh_owner_has_nothing_and_stores_nothing(engine: Engine, access: Access) -> None:
    outcome = await call_as(engine, "memory_session_resume")
    assert outcome.answer == EMPTY
    assert "opens session 1" in outcome.notes[0]
    assert query(access, "SELECT count(*) FROM sessions") == [(0,)]
    assert query(access, "SELECT count(*) FROM current_sessions") == [(0,)]


async def test_the_number_told_is_that_of_the_session_written_to(engine: Engine) -> None:
    await fact(engine, "Somebody else's.", Caller("local", client="phone"))
    resumed = await call_as(engine, "memory_session_resume")
    added = await answer(engine, "memory_add", event_type="fact", content="Mine.")
    assert resumed.answer["current_session"] == added["session_id"] == 2
    again = await call_as(engine, "memory_session_resume")
    assert (again.answer["current_session"], again.notes) == (2, [])
    await answer(engine, "session_end")
    assert (await answer(engine, "memory_session_resume"))["current_session"] == 3
    assert (await answer(engine, "session_start"))["session_id"] == 3


async def test_it_only_reads(settings: Settings, access: Access, embedder: Embedder) -> None:
    (line,) = [
        each for tools in TOOLSETS for each in tools.tools if each.name == "memory_session_resume"
    ]
    assert line.effect is Effect.READS
    quiet = settings.model_copy(update={"read_only": True})
    async with open_engine(quiet, access=access, embedder=embedder) as reading:
        assert await answer(reading, "memory_session_resume") == EMPTY


async def test_each_kind_has_its_list_and_all_are_counted(engine: Engine) -> None:
    decision = await fact(engine, "Мы берём Postgres.", event_type="decision")
    known = await fact(engine, "Anna mag Tee ☕.")
    other = [
        await fact(engine, f"料理 {kind}", event_type=kind)
        for kind in ("inference", "skill", "correction")
    ]
    await answer(engine, "conversation_log", user_message="Hallo", agent_response="Salut")
    ended = await answer(engine, "session_end")
    resumed = await answer(engine, "memory_session_resume")
    assert resumed["last_episode"]["node_id"] == ended["episode_id"]
    assert ids(resumed["recent_decisions"]) == [decision]
    assert ids(resumed["recent_facts"]) == [known]
    assert sorted(ids(resumed["recent_other"])) == other
    assert resumed["total_loaded"] == 6


async def test_nothing_superseded_or_forgotten_is_told(engine: Engine) -> None:
    old = await fact(engine, "Anna is fifteen.")
    gone = await fact(engine, "Ben has a secret.")
    new = await answer(engine, "memory_correct", old_node_id=old, new_content="Anna is sixteen.")
    await call(engine, "forget", {"memoryId": f"mem-{gone}", "userId": "local", "soft": True})
    await answer(engine, "session_end", summary="Erste Fassung.")
    await answer(engine, "session_start", session_id=1)
    await fact(engine, "More.")
    last = await answer(engine, "session_end", summary="Zweite Fassung.")
    resumed = await answer(engine, "memory_session_resume")
    assert resumed["last_episode"]["node_id"] == last["episode_id"]
    told_of = {each["content"] for each in resumed["recent_facts"]}
    assert told_of == {"Anna is sixteen.", "More."}
    assert new["new_node_id"] in ids(resumed["recent_facts"])


async def test_a_forgotten_episode_leaves_the_one_before(engine: Engine) -> None:
    await fact(engine, "Eins.")
    first = await answer(engine, "session_end")
    await fact(engine, "Zwei.")
    second = await answer(engine, "session_end")
    gone = {"memoryId": f"mem-{second['episode_id']}", "userId": "local", "soft": True}
    await call(engine, "forget", gone)
    resumed = await answer(engine, "memory_session_resume")
    assert resumed["last_episode"]["node_id"] == first["episode_id"]


async def test_each_project_and_each_owner_has_its_own(engine: Engine) -> None:
    for caller, content in ((ME, "Of none."), (GARDEN, "Rosen."), (KITCHEN, "Salz."), (OTHER, "x")):
        await fact(engine, content, caller)
        await answer(engine, "session_end", caller, summary=f"Episode: {content}")
    for caller, content in ((ME, "Of none."), (GARDEN, "Rosen."), (KITCHEN, "Salz."), (OTHER, "x")):
        resumed = await answer(engine, "memory_session_resume", caller)
        assert [each["content"] for each in resumed["recent_facts"]] == [content]
        assert resumed["last_episode"]["content"] == f"Episode: {content}"


async def test_what_the_last_session_was_about_comes_first(engine: Engine) -> None:
    pump = await fact(engine, "The water pump of the cellar leaks at its seal.")
    dinner = await fact(engine, "Anna wants noodles for dinner on Sunday.")
    await answer(engine, "session_end")
    await answer(engine, "conversation_log", user_message="Why does the pump in the cellar leak?")
    await answer(engine, "session_end")
    assert ids((await answer(engine, "memory_session_resume"))["recent_facts"]) == [pump, dinner]
    await answer(engine, "conversation_log", user_message="Which noodles shall Anna eat on Sunday?")
    assert ids((await answer(engine, "memory_session_resume"))["recent_facts"]) == [dinner, pump]


async def test_what_is_recent_comes_before_what_is_old(engine: Engine, clock: Clock) -> None:
    old = await fact(engine, "The code of the door is 4711.")
    clock.move(days=120)
    new = await fact(engine, "The code of the gate is 4712.")
    assert ids((await answer(engine, "memory_session_resume"))["recent_facts"]) == [new, old]


async def test_what_is_doubtful_comes_last(engine: Engine) -> None:
    sure = await fact(engine, "The blue key opens the shed.", confidence=0.9)
    doubtful = await fact(engine, "The red key opens the shed.", confidence=0.2)
    assert ids((await answer(engine, "memory_session_resume"))["recent_facts"]) == [sure, doubtful]


@pytest.mark.parametrize(("limit", "shares"), [(1, (0, 0, 0)), (4, (1, 1, 1)), (9, (2, 5, 1))])
async def test_the_limit_counts_all_lists_and_no_share_is_lost(
    engine: Engine, limit: int, shares: tuple[int, int, int]
) -> None:
    for place in range(2):
        await fact(engine, f"Decision {place}.", event_type="decision")
    for place in range(9):
        await fact(engine, f"Fact {place}.")
    await fact(engine, "Skill.", event_type="skill")
    await answer(engine, "session_end")
    resumed = await answer(engine, "memory_session_resume", limit=limit)
    lists = ("recent_decisions", "recent_facts", "recent_other")
    assert tuple(len(resumed[name]) for name in lists) == shares
    assert resumed["total_loaded"] == limit == 1 + sum(shares)


@pytest.mark.parametrize("limit", [0, -1, 501, 2.5, "3"])
async def test_a_limit_out_of_bounds_is_refused(engine: Engine, limit: object) -> None:
    with pytest.raises(InvalidArgument) as refused:
        await answer(engine, "memory_session_resume", limit=limit)
    assert refused.value.field == "limit"
