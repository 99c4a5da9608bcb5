"""`reason`: each mode answers in one shape, as a run of its own tool that can be followed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.resume import find_run
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.toolsets.modes import MODES
from reasonloom.settings import load_settings
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.drawn_replies import drawn_reply

QUESTION = "Shall the town rebuild its old mill, or sell the land?"
OPTIONS: dict[str, dict[str, Any]] = {
    "tree": {"maxBranches": 2},
    "divergent": {"num_perspectives": 2, "constraints": ["at most 2 million"]},
    "ponder": {"constraints": ["at most 2 million"]},
    "breakdown": {"maxDepth": "2"},
}


@asynccontextmanager
async def asking(
    postgres: TestPostgres, database: str, **more: Any
) -> AsyncIterator[tuple[Client, EngineLifespan]]:
    url = postgres.address.dsn("postgres", database)
    async with (
        EngineLifespan(load_settings(database_url=url, **more)) as lifespan,
        Client(build_server(lifespan)) as client,
    ):
        yield client, lifespan


async def test_every_mode_answers_in_one_shape_as_a_run_of_its_own_tool(
    postgres: TestPostgres, database: str
) -> None:
    async with asking(postgres, database) as (client, lifespan):
        session = None
        await client.call_tool("remember", {"content": "The old mill of the town burned in 1987."})
        for mode in sorted(MODES.keys() - {"backtrack"}):
            given: dict[str, Any] = {"text": QUESTION, "mode": mode}
            given["options"] = OPTIONS.get(mode, {})
            result = await client.call_tool("reason", given)
            body: dict[str, Any] = result.structured_content or {}
            assert not result.is_error, (mode, result.content)
            assert body["conclusion"], (mode, body)
            assert mode in ("auto", body["mode"])
            run = await find_run(await lifespan.engine(), Caller("local"), body["runId"])
            assert run.tool == MODES[mode].line.name
            session = session or body.get("sessionId")
        other = {"text": "And the land?", "mode": "ponder", "sessionId": session}
        ignored: dict[str, Any] = (await client.call_tool("reason", other)).structured_content or {}
    assert any("sessionId: is not used" in each for each in ignored["notes"])


async def test_a_checkpoint_is_returned_to_by_an_option(
    postgres: TestPostgres, database: str
) -> None:
    choice = {"toolsets": "default,reasoning"}
    async with asking(postgres, database, **choice) as (client, lifespan):
        first = await client.call_tool("reason", {"text": QUESTION, "mode": "linear"})
        session = (first.structured_content or {})["sessionId"]
        mark = {"session_id": session, "name": "before"}
        checkpoint = (
            await client.call_tool("reasoning_checkpoint_create", mark)
        ).structured_content
        back = {"text": "Sell it.", "mode": "backtrack", "checkpointId": (checkpoint or {})["id"]}
        answer = await client.call_tool("reason", back)
        assert not answer.is_error, answer.content
        engine, owner = await lifespan.engine(), Caller("local")
        tree = await client.call_tool("reason", {"text": QUESTION, "mode": "tree"})
        run = await find_run(engine, owner, (tree.structured_content or {})["runId"])
        assert run.graph == "tree"
        assert "maxBranches" not in run.input


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"mode": "tree", "options": {"branches": 3}},
            ["options.branches: unknown", "max_branches"],
        ),
        (
            {"mode": "tree", "options": {"maxBranches": 99}},
            ["mode tree: options.max_branches: must"],
        ),
        ({"mode": "backtrack"}, ["Missing required parameter: options.checkpoint_id"]),
        ({"mode": "linear", "options": {"content": "x"}}, ["options.content: give it as text"]),
        ({"mode": "deep"}, ["mode: must be one of 'auto', 'linear'"]),
        ({"sessionId": "kitchen"}, ["Session not found: kitchen; leave sessionId out"]),
    ],
)
async def test_an_error_names_the_option_and_has_an_example(
    postgres: TestPostgres, database: str, given: dict[str, Any], expected: list[str]
) -> None:
    async with asking(postgres, database) as (client, _):
        result = await client.call_tool("reason", {"text": QUESTION, **given})
    text = str(result.content[0].text)  # type: ignore[union-attr]
    assert result.is_error
    assert all(each in text for each in expected)
    known = given.get("mode") != "backtrack"  # no call works without an id of a checkpoint
    assert ("Example: reason {" in text and QUESTION in text) is known


async def test_replies_lead_to_an_answer_of_the_same_shape(
    postgres: TestPostgres, database: str
) -> None:
    async with asking(postgres, database, llm="caller") as (client, _):
        result = await client.call_tool("reason", {"text": QUESTION, "mode": "reflect"})
        body: dict[str, Any] = result.structured_content or {}
        while body.get("questions"):
            shared = body["shared"]
            replies = []
            for each in body["questions"]:
                schema = each["reply_schema"]
                schema = (
                    shared[schema.split()[1].rstrip("]")] if isinstance(schema, str) else schema
                )
                text = each["system"] + each["prompt"]
                replies.append({"id": each["id"], "reply": drawn_reply(text, schema, 1)})
            answer = {"run_id": body["run_id"], "answers": replies}
            result = await client.call_tool("reasoning_answer", answer)
            assert not result.is_error, result.content
            body = result.structured_content or {}
    assert body["mode"] == "reflection"
    assert body["conclusion"] == str(result.content[0].text).split("\n")[0]  # type: ignore[union-attr]
