"""The toolset `extras` is served where it is named, and nowhere else."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from mcp import Client

from reasonloom.contracts.toolsets import ALL_TOOLS, EXTRA_TOOLS
from reasonloom.errors import SettingMistake
from reasonloom.server.app import build_server
from reasonloom.server.catalogue.selection import DEFAULT_TOOLS, GROUPS, built_names, choose
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS
from reasonloom.settings import load_settings
from tests.support.databases.postgres import TestPostgres

READ = {
    "batch_recall",
    "space_list",
    "export_memories",
    "memory_health",
    "eval_compare",
    "list_basins",
}
ADDED = {
    "reason",
    "batch_remember",
    "memory_promote",
    "reasoning_got_run",
    "predict_with_model",
    "propose_models",
}
ASKING = {"reason", "consolidate_memories", "reasoning_got_run", "resolve_prediction"}
ITEM = {"content": "Green tea is in the tin.", "primarySector": "semantic"}
BATCH = {"userId": "local", "sessionId": "s", "memories": [ITEM]}


def served(**given: Any) -> list[str]:
    return [tool.name for tool in choose(load_settings(**given)).tools]


def test_every_extra_is_built_and_is_no_references() -> None:
    assert [line.name for toolset in EXTRA_TOOLSETS for line in toolset.tools] == list(EXTRA_TOOLS)
    assert not set(EXTRA_TOOLS) & set(ALL_TOOLS)
    assert not set(EXTRA_TOOLS) & set(built_names())


def test_default_has_one_extra_and_the_toolsets_of_references_none() -> None:
    for toolsets in ("classic", "all", "thought,reasoning"):
        assert not set(served(toolsets=toolsets)) & set(EXTRA_TOOLS)
    assert set(served()) & set(EXTRA_TOOLS) == {"reason"}


def test_extras_are_served_by_name_alone_or_added() -> None:
    assert served(toolsets="extras") == list(EXTRA_TOOLS)
    both = served(toolsets="default,extras")
    assert set(both) == {*DEFAULT_TOOLS, *EXTRA_TOOLS}
    assert served(tools="batch_recall,recall") == ["recall", "batch_recall"]
    assert "prune_memories" not in served(toolsets="extras", exclude_tools="prune_memories")
    assert set(served(toolsets="extras", read_only=True)) == READ


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"toolsets": "extra"}, "there is no extra; did you mean extras?"),
        ({"toolsets": "zzzz"}, "extras"),
        ({"tools": "batch_recal"}, "did you mean batch_recall?"),
        ({"exclude_tools": "zzzz"}, "memory_health"),
    ],
)
def test_an_unknown_name_is_told_of_them(choice: dict[str, Any], told: str) -> None:
    assert GROUPS[-1] == "extras"
    with pytest.raises(SettingMistake) as caught:
        served(**choice)
    assert told in caught.value.message


async def test_hints_tell_what_each_does_and_answers_keep_their_schema(
    postgres: TestPostgres, database: str
) -> None:
    url = postgres.address.dsn("postgres", database)
    settings = load_settings(database_url=url, toolsets="extras")
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, tool in tools.items():
            hints = tool.annotations
            assert hints is not None
            assert hints.read_only_hint is (name in READ), name
            assert hints.destructive_hint is (name not in READ | ADDED), name
            assert hints.open_world_hint is (name in ASKING), name
        me, ids = {"userId": "local"}, {"memoryIds": ["mem-1"]}
        for name, arguments in (
            ("batch_remember", BATCH),
            ("batch_recall", {**me, **ids}),
            ("batch_forget", {**me, **ids}),
            ("restore_memory", {**me, "memoryId": "mem-1"}),
            ("memory_promote", {"memoryId": "mem-1", "space": "me/kept"}),
            ("space_grant", {"space": "me/kept", "to": "ben", "rights": ["read"]}),
            ("space_list", {}),
            ("space_revoke", {"space": "me/kept", "from": "ben"}),
            ("export_memories", me),
            ("memory_health", me),
            ("consolidate_memories", me),
            ("prune_memories", me),
        ):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result.content
            answer = result.structured_content
            assert answer is not None
            assert answer["success"] is True
            schema = tools[name].output_schema
            assert schema is not None
            jsonschema.validate(answer, schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("tool", "arguments", "error", "field"),
    [
        ("batch_remember", {**BATCH, "memories": [ITEM, {**ITEM, "content": ""}]},
         "Content cannot be empty", "memories.1.content"),
        ("batch_remember", {**BATCH, "memories": [{**ITEM, "primarySector": "x"}]},
         "memories.0.primarySector: must be one of", "memories.0.primarySector"),
        ("batch_recall", {"userId": "local"}, "Missing required parameter: memoryIds", "memoryIds"),
        ("batch_recall", {"userId": "local", "memoryIds": []}, "memoryIds:", "memoryIds"),
        ("restore_memory", {"userId": "local", "memoryId": "mem-7"}, "Memory not found",
         "memoryId"),
        ("consolidate_memories", {"userId": "local", "minCluster": 1}, "minCluster:", "minCluster"),
        ("prune_memories", {"userId": "local", "minAgeDays": 0}, "minAgeDays:", "minAgeDays"),
    ],
)  # fmt: skip
async def test_errors_have_the_thought_toolsets_form(
    postgres: TestPostgres, database: str, tool: str, arguments: dict[str, Any], error: str,
    field: str,
) -> None:  # fmt: skip
    url = postgres.address.dsn("postgres", database)
    settings = load_settings(database_url=url, toolsets="extras")
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    told = result.structured_content
    assert told is not None
    assert (told["success"], told["field"]) == (False, field)
    assert error in told["error"]
    assert told["suggestion"]
