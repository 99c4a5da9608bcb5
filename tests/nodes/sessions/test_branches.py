"""Branches: what the next step sees, and what is refused by which name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import BranchNotFound, CheckpointNotFound, NotFound, SessionNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.sessions import branches, sessions
from reasonloom.stores.sessions.branches import NewBranch
from reasonloom.stores.sessions.thoughts import NewThought
from tests.support.calls import call, remember
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import answered, lines, steps, stored_rows, whole

BRANCH = {
    "id", "session_id", "name", "parent_id", "state", "confidence", "priority", "created_at",
    "updated_at",
}  # fmt: skip
"""The reference's data type."""


async def test_a_new_session_has_a_root_branch(mind: Engine) -> None:
    first = await answered(mind, "linear", content="a")
    listed = await answered(mind, "tree_list", session_id=first["session_id"])
    (root,) = listed["branches"]
    assert set(root) >= BRANCH
    assert (root["name"], root["state"], root["parent_id"], root["active"]) == (
        "main", "active", None, True,
    )  # fmt: skip
    assert root["head_thought_id"] == first["thought_id"]
    assert root["id"] == listed["active_branch_id"] == first["branch_id"]
    assert root["confidence"] == 0.9


async def test_focus_makes_a_branch_active_and_opens_it_again(
    mind: Engine, llm: TellingLlm
) -> None:
    session = await steps(mind, "a", "b")
    point = await answered(mind, "checkpoint_create", session_id=session, name="p")
    side = (await answered(mind, "backtrack", checkpoint_id=point["id"], new_direction="x"))[
        "branch_id"
    ]
    done = await call(mind, "reasoning_tree_complete",
                      {"session_id": session, "branch_id": side, "state": "abandoned"})  # fmt: skip
    assert (done.answer["state"], done.answer["active_branch_id"]) == ("abandoned", session)
    assert set(done.answer) >= BRANCH
    await steps(mind, "c", session=session)
    assert llm.seen["c"] == ["thought about a", "thought about b"]
    focused = await call(mind, "reasoning_tree_focus", {"session_id": session, "branch_id": side})
    assert (focused.answer["state"], focused.answer["active"]) == ("active", True)
    assert focused.notes == ["the branch was abandoned; it is open again"]
    await steps(mind, "d", session=session)
    assert llm.seen["d"] == ["thought about a", "thought about b", "thought about x"]


async def test_the_root_stays_active_when_it_is_completed(mind: Engine) -> None:
    session = await steps(mind, "a")
    completed = {"session_id": session, "branch_id": session, "state": "completed"}
    done = await call(mind, "reasoning_tree_complete", completed)
    assert (done.answer["state"], done.answer["active_branch_id"]) == ("completed", session)
    assert "stays the active one" in done.notes[0]
    await steps(mind, "b", session=session)
    (root,) = (await answered(mind, "tree_list", session_id=session))["branches"]
    assert root["state"] == "active"


async def test_a_session_without_thoughts_has_a_root_too(mind: Engine, llm: TellingLlm) -> None:
    await remember(mind, "Green tea is in the tin.")
    with psycopg.connect(mind.loom.database.access.admin) as connection:
        ((session,),) = connection.execute("SELECT id::text FROM sessions").fetchall()
    (root,) = (await answered(mind, "tree_list", session_id=session))["branches"]
    assert (root["id"], root["head_thought_id"], root["state"]) == (session, None, "active")
    point = await answered(mind, "checkpoint_create", session_id=session, name="nothing yet")
    assert point["thought_id"] is None
    await steps(mind, "a", session=session)
    back = await answered(mind, "backtrack", checkpoint_id=point["id"], confidence=0.5)
    assert (back["thought_id"], back["content"], back["below_threshold"]) == (None, "", True)
    await steps(mind, "b", session=session)
    assert llm.seen["b"] == []


@pytest.mark.parametrize("wrong", ["nonsense", "00000000-0000-4000-8000-000000000000"])
async def test_unknown_ids_have_the_references_names(mind: Engine, wrong: str) -> None:
    session = await steps(mind, "a")
    other = await steps(mind, "b")
    point = await answered(mind, "checkpoint_create", session_id=session, name="p")
    cases: list[tuple[str, dict[str, Any], type[NotFound], str]] = [
        ("linear", {"content": "x", "session_id": wrong}, SessionNotFound, "session_id"),
        ("tree_list", {"session_id": wrong}, SessionNotFound, "session_id"),
        ("checkpoint_list", {"session_id": wrong}, SessionNotFound, "session_id"),
        ("checkpoint_create", {"session_id": wrong, "name": "p"}, SessionNotFound, "session_id"),
        ("tree_focus", {"session_id": wrong, "branch_id": session}, SessionNotFound, "session_id"),
        ("tree_focus", {"session_id": session, "branch_id": wrong}, BranchNotFound, "branch_id"),
        ("tree_focus", {"session_id": session, "branch_id": other}, BranchNotFound, "branch_id"),
        ("tree_complete", {"session_id": session, "branch_id": wrong, "state": "completed"},
         BranchNotFound, "branch_id"),
        ("backtrack", {"checkpoint_id": wrong}, CheckpointNotFound, "checkpoint_id"),
        ("backtrack", {"checkpoint_id": point["id"], "session_id": wrong}, SessionNotFound,
         "session_id"),
        ("backtrack", {"checkpoint_id": point["id"], "session_id": other}, CheckpointNotFound,
         "checkpoint_id"),
    ]  # fmt: skip
    before = stored_rows(mind.loom.database.access)
    for tool, arguments, kind, field in cases:
        with pytest.raises(kind) as caught:
            await answered(mind, tool, **arguments)
        assert caught.value.field == field
        assert caught.value.message == f"{kind.kind} not found: {arguments[field]}"
    assert stored_rows(mind.loom.database.access) == before


async def test_a_foreign_id_answers_as_an_unknown_one(mind: Engine) -> None:
    session = await steps(mind, "a")
    point = await answered(mind, "checkpoint_create", session_id=session, name="p")
    own = (await answered(mind, "linear", owner="ben", content="mine"))["session_id"]
    cases = [
        ("tree_list", {"session_id": session}, SessionNotFound),
        ("tree_focus", {"session_id": session, "branch_id": session}, SessionNotFound),
        ("tree_focus", {"session_id": own, "branch_id": session}, BranchNotFound),
        ("tree_complete", {"session_id": session, "branch_id": session, "state": "completed"},
         SessionNotFound),
        ("checkpoint_create", {"session_id": session, "name": "q"}, SessionNotFound),
        ("checkpoint_list", {"session_id": session}, SessionNotFound),
        ("backtrack", {"checkpoint_id": point["id"]}, CheckpointNotFound),
        ("backtrack", {"checkpoint_id": point["id"], "session_id": own}, CheckpointNotFound),
        ("linear", {"content": "x", "session_id": session}, SessionNotFound),
    ]  # fmt: skip
    before = stored_rows(mind.loom.database.access)
    for tool, arguments, kind in cases:
        with pytest.raises(kind):
            await answered(mind, tool, owner="ben", **arguments)
    assert stored_rows(mind.loom.database.access) == before
    assert len((await whole(mind, session)).thoughts) == 1


async def test_several_branches_grow_in_one_transaction_or_none_does(
    mind: Engine, llm: TellingLlm
) -> None:
    first = await answered(mind, "linear", content="a")
    session, head = UUID(first["session_id"]), UUID(first["thought_id"])
    sprouts = []
    for number in range(3):
        branch = NewBranch(uuid4(), session, f"way {number}", session, head, priority=number)
        step = NewThought(
            uuid4(), session, head, branch.id, "tree", "ways", f"way {number}", 0.5, "l", uuid4()
        )
        sprouts.append((branch, step))
    async with mind.loom.database.begin(Caller("local")) as tx:
        await sessions.hold(tx, str(session))
        assert await branches.grow(tx, sprouts) == sprouts[-1][0].id
    with pytest.raises(ValueError, match="no branch"):
        async with mind.loom.database.begin(Caller("local")) as tx:
            await branches.grow(tx, [])
    spoilt = replace(sprouts[1][1], id=uuid4(), confidence=2.0)
    more = [(replace(branch, id=uuid4()), replace(step, id=uuid4())) for branch, step in sprouts]
    with pytest.raises(Exception, match="confidence"):
        async with mind.loom.database.begin(Caller("local")) as tx:
            await branches.grow(tx, [more[0], (more[1][0], spoilt)])
    found = await whole(mind, str(session))
    assert [each.number for each in found.branches] == [0, 1, 2, 3]
    assert [each.priority for each in found.branches] == [0, 0, 1, 2]
    assert [each.position for each in found.thoughts] == [1, 2, 3, 4]
    assert lines(found)[str(sprouts[1][0].id)] == ["thought about a", "way 1"]
    assert found.session.active_branch_id == session
    await steps(mind, "b", session=str(session))
    assert llm.seen["b"] == ["thought about a"]
