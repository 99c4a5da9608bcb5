"""Every tool that is built keeps what its reference says, as vendored in references.json."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from reasonloom.compose import open_engine
from reasonloom.contracts.schema import publish
from reasonloom.contracts.toolsets import ALL_TOOLS, INVENTORY, SERVED_AS, reference_name
from reasonloom.server.app import build_server
from reasonloom.server.catalogue.selection import built_names
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.toolsets.table import TOOLSETS
from reasonloom.server.toolsets.toolset import ToolLine
from reasonloom.settings import load_settings
from tests.support.contracts.references import (
    AS_NAMES,
    BESIDE,
    BEYOND,
    BUILT,
    FACTS,
    OPTIONAL,
    facts_of,
    least_request,
    schema_faults,
    shape_faults,
    widened,
)
from tests.support.databases.postgres import TestPostgres
from tests.support.history.ingestion import ingested
from tests.support.history.transcripts import generated
from tests.support.llms.drawn_replies import drawn_reply
from tests.support.llms.providers import Chatting, answering
from tests.support.reasoning.mental_models import a_basin

PLACEHOLDER = "mem-abc123"
FIRST_ONLY = {"reasoning_linear": "previous_thought"}
"""Answer keys that are null at first and text in the second answer of a session."""

THINKING = {"think", "ponder", "analyze", "breakdown"}
"""Tools of other toolsets than `reasoning` that have nothing to say without a language model."""

LEFT_EMPTY = {
    "think": ["answer.data.conflicts: [] is no list that holds something"],
    "ponder": ["answer.data.conflicts: [] is no list that holds something"],
    "breakdown": ["answer.data.dependencies: [] is no list that holds something"],
}
"""What drawn replies do not bring: they neither contradict each other nor name a real part."""

SERVERS = ["combined", "as"]
WHOLE = {
    line.name: toolset.envelope.schema(publish(line.answer, answer=True))
    for toolset in TOOLSETS
    for line in toolset.tools
}
"""The schemas of the references' answers; what is shorter keeps them too."""

TOOLS = [pytest.param(toolset, line, id=line.name) for toolset, line in BUILT]
UNBUILT = [name for name in ALL_TOOLS if name not in built_names()]


def flags(server: str, toolset: str) -> dict[str, Any]:
    return {"toolsets": "all"} if server == "combined" else {"serve_as": AS_NAMES[toolset]}


def served_name(server: str, line: ToolLine) -> str:
    return line.name if server == "combined" else reference_name(line.name)


def drawn(body: Mapping[str, Any]) -> str:
    """Return the reply of a provider to a request: an object of the schema that it names."""
    text = "".join(str(each["content"]) for each in body["messages"])
    schema = body["response_format"]["json_schema"]["schema"]
    return json.dumps(drawn_reply(text, schema))


@pytest.fixture(scope="module")
def provider() -> Iterator[Chatting]:
    """Serve a language model whose replies fit every question."""
    with answering(drawn) as serving:
        yield serving


@asynccontextmanager
async def connected(url: str | None = None, **given: Any) -> AsyncIterator[Client]:
    """Yield a client of the real server object; without a URL it has no database."""
    settings = load_settings(database_url=url or "postgresql://nobody@127.0.0.1:1/none", **given)
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        yield client


LISTINGS: dict[str, dict[str, Any]] = {}
"""The tools that a server lists, by its flags and their names; each server is asked once."""


async def listed(name: str, **given: Any) -> Any:
    """Return a tool as a server of these flags lists it."""
    if str(given) not in LISTINGS:
        async with connected(**given) as client:
            tools = (await client.list_tools()).tools
        LISTINGS[str(given)] = {tool.name: tool for tool in tools}
    return LISTINGS[str(given)][name]


def test_the_inventory_is_the_references_list_of_seventy() -> None:
    assert len(FACTS) == len(ALL_TOOLS) == len(set(ALL_TOOLS)) == 70
    for toolset, names in INVENTORY.items():
        theirs = [fact["name"] for fact in FACTS if fact["toolset"] == toolset]
        assert sorted(map(reference_name, names)) == sorted(theirs)
    assert sorted(SERVED_AS.values()) == sorted(INVENTORY)


def test_every_built_tool_is_in_the_inventory_of_its_toolset() -> None:
    for toolset, line in BUILT:
        assert line.name in INVENTORY[toolset]


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize(("toolset", "line"), TOOLS)
async def test_the_published_request_is_the_references(
    server: str, toolset: str, line: ToolLine
) -> None:
    own = server == "combined"
    tool = await listed(served_name(server, line), **flags(server, toolset))
    reference = facts_of(toolset, line.name)["input"]
    faults = schema_faults(
        widened(reference, line.name) if own else reference,
        tool.input_schema,
        beyond=BEYOND.get(line.name, set()) if own else set(),
        optional=OPTIONAL.get(line.name, set()) if own else set(),
    )
    assert list(faults) == []


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize(("toolset", "line"), TOOLS)
async def test_example_requests_get_the_documented_answer(
    server: str,
    toolset: str,
    line: ToolLine,
    postgres: TestPostgres,
    database: str,
    provider: Chatting,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fact = facts_of(toolset, line.name)
    monkeypatch.setenv("OPENAI_API_KEY", provider.settings["OPENAI_API_KEY"])
    with_model = {}
    if toolset == "reasoning" or line.name in THINKING:
        with_model["llm"] = provider.settings["REASONLOOM_LLM"]
        with_model["llm_base_url"] = provider.settings["REASONLOOM_LLM_BASE_URL"]
    url = postgres.address.dsn("postgres", database)
    tool = await listed(served_name(server, line), **flags(server, toolset))
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(connected(url, toolsets="all", **with_model))
        known = await make_known(client)
        ids = await MAKE[toolset](client) if toolset in MAKE else {}
        if toolset == "mental_models":
            ids = await make_model(client, url)
        if toolset == "history":
            ids = await make_history(url)
        if server == "as":
            given = {**flags(server, toolset), **with_model}
            client = await stack.enter_async_context(connected(url, **given))
        least = {**least_request(fact["input"]), **BESIDE.get(line.name, {})}
        for place, request in enumerate(fact.get("requests") or [least]):
            filled = json.loads(json.dumps(request).replace(PLACEHOLDER, known))
            filled |= {name: ids[name] for name in filled.keys() & ids.keys()}
            answers = [await succeed(client, tool, filled, WHOLE[line.name], server)]
            if (key := FIRST_ONLY.get(line.name)) is not None:
                assert answers[0][key] is None
                session = {"session_id": answers[0]["session_id"]}
                again = {**filled, **session}
                answers = [await succeed(client, tool, again, WHOLE[line.name], server)]
            for shape in shapes_of(fact, place):
                assert list(shape_faults(shape, answers[0])) in ([], LEFT_EMPTY.get(line.name))


def shapes_of(fact: dict[str, Any], place: int) -> list[Any]:
    """Return the shapes that the answer to an example has: of think, each has one of its own."""
    shapes = fact.get("answers", [])
    return [shapes[place]] if fact["name"] == "think" else shapes


async def make_known(client: Client) -> str:
    """Store the memory that the reference's examples speak of, twice as linked; return its id."""
    for request in facts_of("thought", "remember")["requests"] * 2:
        stored = await client.call_tool("remember", request)
    assert stored.structured_content is not None
    return str(stored.structured_content["data"]["memoryId"])


async def make_session(client: Client) -> dict[str, Any]:
    """Think once, set a checkpoint, grow a graph; return what a request may name, by its fields."""
    thought = (await client.call_tool("reasoning_linear", {"content": "x"})).structured_content
    assert thought is not None
    session = {"session_id": str(thought["session_id"])}
    point = await client.call_tool("reasoning_checkpoint_create", {**session, "name": "p"})
    assert point.structured_content is not None
    return {
        **session,
        "branch_id": str(thought["branch_id"]),
        "checkpoint_id": str(point.structured_content["id"]),
        **await make_graph(client),
    }


async def make_graph(client: Client) -> dict[str, Any]:
    """Begin a graph and continue it; return its ids by the fields that name them."""
    content = "The band is loud. The wall is thin."
    begun = (await client.call_tool("reasoning_got_init", {"content": content})).structured_content
    assert begun is not None
    graph, root = begun["graph_id"], begun["root_node_id"]
    more = {"graph_id": graph, "node_id": root, "k": 2}
    made = (await client.call_tool("reasoning_got_generate", more)).structured_content
    assert made is not None
    children = [each["id"] for each in made["nodes"]]
    return {"graph_id": graph, "node_id": children[0], "node_ids": children}


async def make_graph_memory(client: Client) -> dict[str, Any]:
    """End a session of one fact, and look at a memory file; return what names them."""
    folder = load_settings().files_folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.jsonl").write_text('{"content": "A plain text of the mill."}\n')
    workspace = await answer_of(client, "memory_workspace_create", {"name": "w"})
    file = {"workspace_id": workspace["workspace_id"], "path": "a.jsonl"}
    await answer_of(client, "memory_workspace_add", file)
    fact = {"event_type": "fact", "content": "The mill is old."}
    node = (await answer_of(client, "memory_add", fact))["node_id"]
    await answer_of(client, "session_end", {})
    return {**file, "start_id": node, "node_id": node, "old_node_id": node}


async def make_model(client: Client, url: str) -> dict[str, Any]:
    """Make a model of one basin, with another beside it; return what names them."""
    first, second = a_basin(url), a_basin(url)
    made = {"name": "Moods", "domain": "user", "basin_ids": [first]}
    model = (await answer_of(client, "create_model", made))["model_id"]
    return {"model_id": model, "basin_ids": [first, second], "add_basins": [second]}


async def make_history(url: str) -> dict[str, Any]:
    """Read a transcript in; return what names its project."""
    file = load_settings().home / "talk.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(generated(4).data())
    async with open_engine(load_settings(database_url=url), recover=False) as engine:
        await ingested(engine, file)
    return {"project": "api"}


async def answer_of(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's answer, which must be no error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


MAKE = {"reasoning": make_session, "graph_memory": make_graph_memory}
"""What must be there before the examples of a toolset can be asked."""


async def succeed(
    client: Client, tool: Any, request: dict[str, Any], whole: dict[str, Any], server: str
) -> dict[str, Any]:
    """Call a tool; its answer must be no error, and keep the published schema and the whole one."""
    result = await client.call_tool(tool.name, request)
    assert not result.is_error, result.content
    answer = result.structured_content
    assert isinstance(answer, dict)
    for schema in (tool.output_schema, whole):
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(answer, schema, jsonschema.Draft202012Validator)
    text = getattr(result.content[0], "text", "")
    if "text" in answer:
        notes = [f"[Note: {note}]" for note in answer.get("notes", ())]
        assert text == "\n".join([answer["text"], *notes])
    elif server == "as":
        assert json.loads(text) == answer
    else:
        assert text
        assert len(text) < len(json.dumps(answer))
    return answer


async def test_whole_answers_are_published_as_the_references_are() -> None:
    for _, line in BUILT:
        tool = await listed(line.name, toolsets="all", answers="full")
        assert tool.output_schema == WHOLE[line.name]


@pytest.mark.parametrize("answers", ["short", "full"])
async def test_an_answer_that_lacks_a_key_breaks_the_published_schema(answers: str) -> None:
    """The output schemas are worth validating against: they demand every documented key."""
    for toolset, line in BUILT:
        schema = (await listed(line.name, toolsets="all", answers=answers)).output_schema
        inner = schema["properties"].get("data", schema) if "properties" in schema else schema
        shapes = facts_of(toolset, line.name).get("answers", ())
        documented = [set(shape.get("data", shape)) for shape in shapes]
        if answers == "full":
            assert set().union(*documented) <= set(inner["properties"]), line.name
        if documented:
            assert set.intersection(*documented) <= set(inner["required"]), line.name
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({}, schema)


async def test_only_what_is_built_is_listed() -> None:
    async with connected(toolsets="all") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert names == built_names() == [line.name for _, line in BUILT]


@pytest.mark.parametrize("name", UNBUILT)
async def test_a_tool_that_is_not_built_is_absent_and_not_faked(name: str) -> None:
    async with connected(toolsets="all") as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name, {})
    assert caught.value.code == -32602
    assert "Tool not found" in str(caught.value)
