"""Going back: what is restored, what stays, and what the language model is asked."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import LlmUnavailable, ThoughtNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from reasonloom.stores.sessions import thoughts
from tests.graphs.runs.test_engine import ScriptedLlm, thought
from tests.support.calls import remember
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import answered, lines, steps, stored_rows, thinking, whole

CHECKPOINT = {"id", "session_id", "branch_id", "name", "description", "created_at"}


async def test_backtracking_leaves_what_came_later_and_stores_it(
    mind: Engine, llm: TellingLlm
) -> None:
    session = await steps(mind, "a", "b")
    point = await answered(mind, "checkpoint_create", session_id=session, name="plan",
                           description="before the detour")  # fmt: skip
    assert set(point) >= CHECKPOINT
    assert "snapshot" not in point
    await steps(mind, "c", "d", session=session)
    assert llm.seen["d"] == ["thought about a", "thought about b", "thought about c"]
    back = await answered(mind, "backtrack", checkpoint_id=point["id"])
    assert (back["content"], back["confidence"]) == ("thought about b", 0.9)
    assert back["thought_id"] == point["thought_id"]
    assert (back["session_id"], back["checkpoint_id"]) == (session, point["id"])
    assert back["branch_id"] not in (point["branch_id"], session)
    await steps(mind, "e", session=session)
    assert llm.seen["e"] == ["thought about a", "thought about b"]
    stored = await whole(mind, session)
    assert [each.input for each in stored.thoughts] == ["a", "b", "c", "d", "e"]
    assert stored.session.active_branch_id == stored.branches[1].id
    assert lines(stored)[session][-1] == "thought about d"
    (listed,) = (await answered(mind, "checkpoint_list", session_id=session))["checkpoints"]
    assert {**point, "snapshot": listed["snapshot"]} == listed
    assert listed["snapshot"]["branches"][session]["head"] == point["thought_id"]


async def test_a_new_direction_is_thought_of_from_the_checkpoint(
    mind: Engine, llm: TellingLlm
) -> None:
    session = await steps(mind, "a")
    point = await answered(mind, "checkpoint_create", session_id=session, name="plan")
    await steps(mind, "b", session=session)
    back = await answered(
        mind, "backtrack", checkpoint_id=point["id"], new_direction="try x", session_id=session
    )
    assert llm.seen["try x"] == ["thought about a"]
    assert (back["content"], back["previous_thought"]) == (
        "thought about try x", point["thought_id"],
    )  # fmt: skip
    async with mind.loom.database.begin(Caller("local")) as tx:
        kept = await thoughts.require(tx, back["thought_id"])
        with pytest.raises(ThoughtNotFound):
            await thoughts.require(tx, str(uuid4()))
        with pytest.raises(ThoughtNotFound):
            await thoughts.require(tx, "nonsense")
    assert (kept.mode, str(kept.branch_id)) == ("backtracking", back["branch_id"])
    await steps(mind, "c", session=session)
    assert llm.seen["c"] == ["thought about a", "thought about try x"]


async def test_backtracking_restores_the_states_of_all_branches(mind: Engine) -> None:
    session = await steps(mind, "a")
    start = await answered(mind, "checkpoint_create", session_id=session, name="start")
    side = (await answered(mind, "backtrack", checkpoint_id=start["id"]))["branch_id"]
    await answered(mind, "tree_complete", session_id=session, branch_id=session, state="completed")
    point = await answered(mind, "checkpoint_create", session_id=session, name="later")
    later = (await answered(mind, "backtrack", checkpoint_id=start["id"]))["branch_id"]
    await answered(mind, "tree_focus", session_id=session, branch_id=session)
    await answered(mind, "tree_complete", session_id=session, branch_id=side, state="abandoned")
    back = (await answered(mind, "backtrack", checkpoint_id=point["id"]))["branch_id"]
    listed = await answered(mind, "tree_list", session_id=session)
    assert {each["id"]: each["state"] for each in listed["branches"]} == {
        session: "completed", side: "active", later: "abandoned", back: "active",
    }  # fmt: skip
    assert listed["active_branch_id"] == back
    assert {each["id"]: each["parent_id"] for each in listed["branches"]}[back] == side


async def test_what_a_step_back_replaced_is_kept(mind: Engine, access: Access) -> None:
    session = await steps(mind, "a")
    point = await answered(mind, "checkpoint_create", session_id=session, name="p")
    await answered(mind, "tree_complete", session_id=session, branch_id=session, state="completed")
    await answered(mind, "backtrack", checkpoint_id=point["id"])
    with psycopg.connect(access.admin) as connection:
        found = connection.execute("SELECT cause, state FROM state_snapshots").fetchall()
    ((cause, state),) = found
    assert (cause, state["branches"][session]["state"]) == ("backtracking", "completed")


async def test_where_the_language_model_fails_nothing_has_changed(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("a"), thought("b"), LlmUnavailable("not reached"))
    async with thinking(access, embedder, llm) as mind:
        session = await steps(mind, "a")
        point = await answered(mind, "checkpoint_create", session_id=session, name="p")
        await steps(mind, "b", session=session)
        before = stored_rows(access)
        with pytest.raises(LlmUnavailable):
            await answered(mind, "backtrack", checkpoint_id=point["id"], new_direction="x")
        assert stored_rows(access) == before


async def test_a_thought_in_a_new_direction_keeps_the_confidence_asked_for(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("a"), thought("perhaps", 0.2), thought("maybe", 0.4))
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        memory = await remember(mind, "The restaurant cooks with peanuts.")
        session = await steps(mind, "a")
        point = await answered(mind, "checkpoint_create", session_id=session, name="p")
        back = await answered(mind, "backtrack", checkpoint_id=point["id"], confidence=0.9,
                              new_direction="And the peanuts of the restaurant?")  # fmt: skip
        assert (back["content"], back["below_threshold"], len(llm.asked)) == ("maybe", True, 3)
        assert back["memories_used"] == [memory]
    with psycopg.connect(access.admin) as connection:
        query = (
            "SELECT count(*) FROM edges e JOIN memories m ON m.id = e.source_id "
            "WHERE m.content = 'maybe' AND e.type = 'derived_from'"
        )
        assert connection.execute(query).fetchone() == (1,)


async def test_without_a_language_model_the_new_direction_is_an_extract_and_says_so(
    engine: Engine,
) -> None:
    await remember(engine, "The restaurant cooks with peanuts.")
    session = await steps(engine, "What must we tell the restaurant?")
    point = await answered(engine, "checkpoint_create", session_id=session, name="p")
    back = await answered(
        engine, "backtrack", checkpoint_id=point["id"], new_direction="What of the peanuts?"
    )
    assert back["llm"] == "offline"
    assert "No language model" in back["suggestion"]
    assert "peanuts" in back["content"]
