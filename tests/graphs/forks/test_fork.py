"""Forks: a saved run once more from one of its steps; the origin stays as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, LlmUnavailable, RunNotFound, UnknownName
from reasonloom.graphs.runs.fork import Fork
from reasonloom.graphs.runs.resume import resume_run
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from reasonloom.stores.runs import runs
from tests.graphs.runs.test_engine import ScriptedLlm, thought
from tests.support.calls import call, remember
from tests.support.reasoning.sessions import answered, lines, whole
from tests.support.runs.forks import MARK, STEPS, engine_on, fork, kept, next_versions, row_of

ASKED = {"content": "What must we tell the restaurant?"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the next version of two prompts; the newest counts unless one is named."""
    return next_versions(tmp_path / "prompts", "linear/continue", "backtrack/explore")


def systems(llm: ScriptedLlm) -> list[str]:
    return [str(ask.messages[0].content) for ask in llm.asked]


async def test_a_fork_asks_only_from_its_node_on_with_the_other_version(
    access: Access, embedder: Embedder, folder: Path
) -> None:
    first = ScriptedLlm(thought("Tell them of the peanuts."))
    async with engine_on(access, embedder, first) as engine:
        await remember(engine, "Anna is allergic to peanuts; the restaurant must know.")
        answer = (await call(engine, "reasoning_linear", ASKED)).answer
    run = answer["run_id"]
    assert answer["memories_used"]
    before = kept(access, run)
    second = ScriptedLlm(thought("Tell them of all allergies."))
    async with engine_on(access, embedder, second, prompts=folder) as engine:
        await remember(engine, "The restaurant must know that Ben is allergic to eggs.")
        newest = await fork(engine, run, "continue_thought")
        pinned = await fork(engine, run, "continue_thought", linear__continue=3)
        row = await row_of(engine, str(newest.run_id))
        session = await whole(engine, answer["session_id"])
    assert [MARK in system for system in systems(second)] == [True, False]
    assert second.asked[1].messages == first.asked[0].messages
    assert "eggs" not in str(second.asked[0].messages[-1].content)
    assert kept(access, run) == before
    assert newest.answer["content"] == "Tell them of all allergies."
    assert newest.answer["run_id"] == str(newest.run_id) != run
    assert row.status == runs.DONE
    assert row.fork == {"origin": run, "at": "continue_thought", "prompts": {}}
    assert newest.answer["thought_id"] not in (answer["thought_id"], pinned.answer["thought_id"])
    assert len(session.thoughts) == 3
    ways = lines(session)
    assert ways[answer["branch_id"]] == ["Tell them of the peanuts."]
    assert ways[newest.answer["branch_id"]] == ["Tell them of all allergies."]
    assert str(session.session.active_branch_id) == answer["branch_id"]


async def test_a_fork_before_recall_recalls_anew_and_one_before_keeping_asks_nothing(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("a"), thought("b"))
    async with engine_on(access, embedder, llm) as engine:
        run = (await call(engine, "reasoning_linear", ASKED)).answer["run_id"]
        await remember(engine, "The restaurant must be told that Ben is allergic to eggs.")
        kept_again = await fork(engine, run, "keep_thought")
        assert len(llm.asked) == 1
        whole_again = await fork(engine, run, "recall_context")
    assert (kept_again.answer["content"], whole_again.answer["content"]) == ("a", "b")
    assert "eggs" in str(llm.asked[1].messages[-1].content)
    assert len({run, kept_again.answer["run_id"], whole_again.answer["run_id"]}) == 3


async def test_a_node_that_ran_twice_is_forked_from_before_its_first_time(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("a", 0.2), thought("b", 0.3), thought("c", 0.95))
    async with engine_on(access, embedder, llm) as engine:
        answer = await answered(engine, "linear", content="x", confidence=0.9)
        outcome = await fork(engine, answer["run_id"], "continue_thought")
    assert (answer["below_threshold"], outcome.answer["content"]) == (True, "c")
    assert ["<doubt>" in str(ask.messages[-1].content) for ask in llm.asked] == [False, True, False]


async def test_effects_of_a_fork_have_names_of_its_own(access: Access, embedder: Embedder) -> None:
    llm = ScriptedLlm(thought("Peanuts must be named."), thought("Walnuts must be named."))
    async with engine_on(access, embedder, llm) as engine:
        run = (await call(engine, "reasoning_linear", ASKED)).answer["run_id"]
        other = await fork(engine, run, "continue_thought")
        third = await fork(engine, str(other.run_id), "keep_thought")
        assert third.answer["content"] == "Walnuts must be named."
    assert _memories(access) == {"Peanuts must be named.", "Walnuts must be named."}


def _memories(access: Access) -> set[str]:
    with psycopg.connect(access.admin) as connection:
        return {str(row[0]) for row in connection.execute("SELECT content FROM memories")}


async def test_a_failed_run_is_forked_with_another_model(
    access: Access, embedder: Embedder
) -> None:
    async with engine_on(access, embedder, ScriptedLlm(LlmUnavailable("away"))) as engine:
        with pytest.raises(LlmUnavailable):
            await call(engine, "reasoning_linear", ASKED)
        async with engine.loom.database.begin(Caller("local")) as tx:
            (failed,) = await runs.newest(tx, 1)
    before = _row_text(access, failed.id)
    async with engine_on(access, embedder, ScriptedLlm(thought("It works."))) as engine:
        outcome = await fork(engine, str(failed.id), "continue_thought")
        row = await row_of(engine, str(outcome.run_id))
    assert (outcome.answer["content"], row.llm) == ("It works.", "scripted")
    assert _row_text(access, failed.id) == before


def _row_text(access: Access, run: UUID) -> Any:
    with psycopg.connect(access.admin) as connection:
        query = b"SELECT runs::text FROM runs WHERE id = %s"
        return connection.execute(query, [run]).fetchone()


async def test_a_failing_fork_is_recorded_and_linked(access: Access, embedder: Embedder) -> None:
    llm = ScriptedLlm(thought("a"), LlmUnavailable("away"))
    async with engine_on(access, embedder, llm) as engine:
        answer = (await call(engine, "reasoning_linear", ASKED)).answer
        before = kept(access, answer["run_id"])
        with pytest.raises(LlmUnavailable):
            await fork(engine, answer["run_id"], "continue_thought")
        async with engine.loom.database.begin(Caller("local")) as tx:
            newest, _ = await runs.newest(tx, 2)
        session = await whole(engine, answer["session_id"])
    assert newest.status == runs.FAILED
    assert newest.fork is not None
    assert newest.fork["origin"] == answer["run_id"]
    assert kept(access, answer["run_id"]) == before
    assert len(session.thoughts) == 1


async def test_a_fork_that_was_killed_is_resumed_with_its_own_prompt(
    access: Access, embedder: Embedder, folder: Path
) -> None:
    llm = ScriptedLlm(thought("a"), LlmUnavailable("away"), thought("b"))
    async with engine_on(access, embedder, llm, prompts=folder) as engine:
        run = (await call(engine, "reasoning_linear", ASKED)).answer["run_id"]
        with pytest.raises(LlmUnavailable):
            await fork(engine, run, "continue_thought", linear__continue=3)
        caller = Caller("local")
        async with engine.loom.database.begin(caller) as tx:
            left, _ = await runs.newest(tx, 2)
        outcome = await resume_run(engine, caller, str(left.id))
    assert outcome.answer["content"] == "b"
    assert [MARK in system for system in systems(llm)] == [True, False, False]


async def test_going_back_can_be_forked_too(
    access: Access, embedder: Embedder, folder: Path
) -> None:
    llm = ScriptedLlm(thought("a"), thought("one way"), thought("another way"))
    async with engine_on(access, embedder, llm, prompts=folder) as engine:
        session = (await answered(engine, "linear", content="a"))["session_id"]
        point = await answered(engine, "checkpoint_create", session_id=session, name="p")
        back = await answered(engine, "backtrack", checkpoint_id=point["id"], new_direction="x")
        before = kept(access, back["run_id"])
        other = await fork(engine, back["run_id"], "explore_direction", backtrack__explore=1)
        stored = await whole(engine, session)
    assert [MARK in system for system in systems(llm)] == [True, True, False]
    assert other.answer["content"] == "another way"
    assert other.answer["branch_id"] != back["branch_id"]
    assert lines(stored)[back["branch_id"]] == ["a", "one way"]
    assert lines(stored)[other.answer["branch_id"]] == ["a", "another way"]
    assert kept(access, back["run_id"]) == before


async def test_what_cannot_be_forked_is_refused_and_nothing_is_stored(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("a"))
    async with engine_on(access, embedder, llm) as engine:
        run = (await call(engine, "reasoning_linear", ASKED)).answer["run_id"]
        plain = (await call(engine, "recall", {"text": "x", "userId": "local"})).run_id
        await engine.journal.flush()
        before = _count(access)
        for bad in ("nonsense", str(uuid4())):
            with pytest.raises(RunNotFound):
                await fork(engine, bad, "keep_thought")
        with pytest.raises(RunNotFound):
            await fork(engine, run, "keep_thought", owner="somebody else")
        with pytest.raises(Conflict, match="has no saved steps"):
            await fork(engine, str(plain), "recall")
        with pytest.raises(
            UnknownName, match="no step keep; it has recall_context, continue_thought, keep_thought"
        ):
            await fork(engine, run, "keep")
        for version in (0, 7):
            with pytest.raises(UnknownName, match=f"has no version {version}; it has 1"):
                await fork(engine, run, "keep_thought", linear__continue=version)
        with pytest.raises(UnknownName, match="did you mean linear/continue"):
            await fork(engine, run, "keep_thought", linear__contineu=1)
    assert _count(access) == before
    assert len(llm.asked) == 1


def _count(access: Access) -> list[Any]:
    with psycopg.connect(access.admin) as connection:
        return [
            connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
            for table in ("runs", "thoughts", "llm_calls", *STEPS)
        ]


async def test_the_steps_of_another_owner_are_not_to_be_forked(
    access: Access, embedder: Embedder
) -> None:
    """A row that another owner's caller holds gives nothing: saved steps are found by owner."""
    async with engine_on(access, embedder, ScriptedLlm(thought("a"))) as engine:
        run = (await call(engine, "reasoning_linear", ASKED)).answer["run_id"]
        row = await row_of(engine, run)
        before = _count(access)
        with pytest.raises(Conflict, match="has no saved steps"):
            await engine.fork(Caller("somebody else"), row, Fork("keep_thought"))
    assert _count(access) == before
