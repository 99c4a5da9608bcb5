"""Workspaces are rows that name files: they outlive a process, and belong to one owner."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from reasonloom.compose import open_engine
from reasonloom.errors import CallerMistake, InvalidArgument, WorkspaceNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.memory.graph import query
from tests.support.memory.workspaces import add, ask, create, found, lay, listed, workspace_of

TOOLS = ("query", "compare", "xref")


async def test_a_workspace_and_its_files_are_there_after_a_restart(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    async with open_engine(settings, access=access, embedder=embedder) as first:
        lay(first, "año/été.amem", "El té verde está en la lata.", "Зелёный чай в банке.")
        workspace = await create(first, "Küche 茶 🍵")
        await add(first, workspace, "año/été.amem", role="archive", label="чай 🍵")
    async with open_engine(settings, access=access, embedder=embedder) as second:
        outcome = await call(second, "memory_workspace_list", {"workspace_id": workspace})
        assert outcome.answer == {
            "workspace_id": workspace,
            "name": "Küche 茶 🍵",
            "contexts": [
                {
                    "context_id": "ctx_1",
                    "label": "чай 🍵",
                    "path": "año/été.amem",
                    "role": "archive",
                    "memories": 2,
                    "state": "ready",
                    "problem": None,
                }
            ],
            "count": 1,
        }
        assert (await found(second, workspace, "зелёного чая"))[0] == "Зелёный чай в банке."


async def test_what_one_process_adds_another_sees(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    async with AsyncExitStack() as stack:
        one, other = [
            await stack.enter_async_context(open_engine(settings, access=access, embedder=embedder))
            for _ in range(2)
        ]
        lay(one, "a.jsonl", "Green tea is in the tin.")
        lay(one, "b.jsonl", "Ben sings.")
        made = await asyncio.gather(*(create(engine) for engine in (one, other) * 5))
        assert len(set(made)) == 10
        await asyncio.gather(add(one, made[0], "a.jsonl"), add(other, made[0], "b.jsonl"))
        for engine in (one, other):
            assert {each["path"] for each in await listed(engine, made[0])} == {
                "a.jsonl",
                "b.jsonl",
            }
            assert await found(engine, made[0], "tea") == ["Green tea is in the tin."]


async def test_another_owner_finds_no_workspace_and_numbers_its_own(engine: Engine) -> None:
    workspace = await workspace_of(engine, {"a": ["Green tea is in the tin."]})
    lay(engine, "b.jsonl", "Ben sings.")
    for tool, more in (
        ("list", {}),
        ("add", {"path": "b.jsonl"}),
        ("query", {"query": "tea"}),
        ("compare", {"item": "tea"}),
        ("xref", {"item": "tea"}),
    ):
        arguments = {"workspace_id": workspace, **more}
        with pytest.raises(WorkspaceNotFound, match=f"^Workspace not found: {workspace}"):
            await call(engine, f"memory_workspace_{tool}", arguments, owner="eve")
    assert await create(engine, owner="eve") == workspace
    assert await listed(engine, workspace, owner="eve") == []
    assert [each["label"] for each in await listed(engine, workspace)] == ["a"]


@pytest.mark.parametrize("unknown", ["ws_999", "ws_999999999999999999"])
async def test_an_unknown_workspace_is_not_found(engine: Engine, unknown: str) -> None:
    lay(engine, "a.jsonl", "Green tea.")
    for tool in TOOLS:
        with pytest.raises(WorkspaceNotFound):
            await ask(engine, tool, unknown, "tea")
    with pytest.raises(WorkspaceNotFound):
        await add(engine, unknown, "a.jsonl")


@pytest.mark.parametrize("wrong", ["", "1", "ws_0", "ws_01", "ws_1 ", "ws_1'; --", "WS_1"])
async def test_an_ill_formed_workspace_names_its_field(engine: Engine, wrong: str) -> None:
    with pytest.raises(CallerMistake) as raised:
        await listed(engine, wrong)
    assert raised.value.field == "workspace_id"


async def test_a_role_that_there_is_not_is_refused(engine: Engine, access: Access) -> None:
    workspace = await create(engine)
    lay(engine, "a.jsonl", "Green tea.")
    for more in ({"role": "main"}, {"label": " "}, {"label": "\u202e"}):
        with pytest.raises(InvalidArgument) as raised:
            await add(engine, workspace, "a.jsonl", **more)
        assert raised.value.field in more
    assert query(access, "SELECT count(*) FROM workspace_contexts") == [(0,)]


async def test_a_file_added_again_changes_what_was_given_and_says_so(engine: Engine) -> None:
    workspace = await create(engine)
    lay(engine, "a.jsonl", "Green tea is in the tin.")
    first = await add(engine, workspace, "a.jsonl", role="reference", label="kitchen")
    assert (first.answer["updated"], first.notes) == (False, [])
    again = await add(engine, workspace, "./a.jsonl", role="archive")
    assert again.answer == {**first.answer, "role": "archive", "updated": True}
    assert again.notes == ["ctx_1 was there already: role archive, label kitchen"]
    named = await add(engine, workspace, "a.jsonl", label="Küche")
    assert (named.answer["role"], named.answer["label"]) == ("archive", "Küche")
    assert len(await listed(engine, workspace)) == 1


async def test_a_call_with_the_same_key_stores_once(engine: Engine, access: Access) -> None:
    lay(engine, "a.jsonl", "Green tea is in the tin.")
    outcomes = [
        await call(engine, "memory_workspace_create", {"name": "one"}, key="k") for _ in range(2)
    ]
    assert outcomes[0].answer == outcomes[1].answer
    workspace = outcomes[0].answer["workspace_id"]
    arguments = {"workspace_id": workspace, "path": "a.jsonl"}
    added = [await call(engine, "memory_workspace_add", arguments, key="a") for _ in range(2)]
    assert added[0].answer == added[1].answer
    assert query(access, "SELECT count(*) FROM workspaces") == [(1,)]
    assert query(access, "SELECT count(*) FROM workspace_contexts") == [(1,)]
    tools = query(access, "SELECT tool, status FROM runs ORDER BY tool")
    assert tools == [("memory_workspace_add", "done"), ("memory_workspace_create", "done")]


async def test_a_workspace_has_at_most_fifty_files(engine: Engine) -> None:
    workspace = await create(engine)
    for number in range(50):
        lay(engine, f"{number}.jsonl", "Green tea.")
        await add(engine, workspace, f"{number}.jsonl")
    lay(engine, "one more.jsonl", "Green tea.")
    with pytest.raises(InvalidArgument, match="at most 50 files"):
        await add(engine, workspace, "one more.jsonl")
    assert (await add(engine, workspace, "7.jsonl", role="archive")).answer["updated"] is True


async def test_a_workspace_without_files_says_so(engine: Engine) -> None:
    workspace = await create(engine)
    for tool in TOOLS:
        outcome = await ask(engine, tool, workspace, "tea")
        assert any("no files yet" in note for note in outcome.notes), tool
