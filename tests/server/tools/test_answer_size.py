"""An answer that is too long is refused in its reference's form; a page is cut and says so."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from reasonloom.errors import SettingMistake
from reasonloom.server.answer_size import SHORTENING_ARGUMENTS, size_of
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from tests.support.databases.postgres import TestPostgres

MOST = 10_000
FACT = "The archive of the harbour office holds the ledgers of the year. " * 12


@pytest.fixture
def database_url(postgres: TestPostgres) -> Iterator[str]:
    with postgres.clone() as name:
        yield postgres.address.dsn("postgres", name)


@asynccontextmanager
async def serving(database_url: str, **more: Any) -> AsyncIterator[Client]:
    settings = load_settings(
        database_url=database_url, llm="offline", toolsets="all,extras", answer_characters=MOST,
        **more,
    )  # fmt: skip
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        yield client


async def filled(client: Client, memories: int) -> list[str]:
    """Store long memories; return their ids."""
    made = [
        {"content": f"{number}. {FACT}", "primarySector": "semantic"} for number in range(memories)
    ]
    stored = await client.call_tool(
        "batch_remember", {"userId": "local", "sessionId": "s", "memories": made}
    )
    assert stored.structured_content
    return [each["memoryId"] for each in stored.structured_content["data"]["memories"]]


def refusal_of(result: CallToolResult) -> dict[str, Any]:
    """Return what a refusal says, which is itself short enough."""
    assert result.is_error
    assert size_of(result) < MOST
    assert result.structured_content is not None
    return dict(result.structured_content)


async def test_a_long_answer_is_refused_and_less_of_it_is_given(database_url: str) -> None:
    async with serving(database_url) as client:
        await filled(client, 20)
        wanted = {"userId": "local", "text": "ledgers of the harbour office", "limit": 20}
        said = refusal_of(await client.call_tool("recall", wanted))
        assert said["success"] is False
        assert "data" not in said
        assert "at most 10,000 (REASONLOOM_ANSWER_CHARACTERS)" in said["error"]
        assert "ask for less by limit" in said["error"]
        assert said["suggestion"]
        assert said["retryable"] is False
        fewer = await client.call_tool("recall", {**wanted, "limit": 2})
        assert not fewer.is_error
        assert size_of(fewer) <= MOST

        plain = refusal_of(
            await client.call_tool("memory_similar", {"query_text": FACT, "top_k": 100})
        )
        assert plain["error"]["type"] == "AnswerTooLarge"
        assert "top_k" in plain["error"]["message"]


async def test_the_limit_is_the_last_length_that_is_given(database_url: str) -> None:
    async with serving(database_url) as client:
        await filled(client, 20)
        wanted = {"userId": "local", "text": "ledgers of the harbour office", "limit": 5}
        sizes = size_of(await client.call_tool("recall", wanted))
        assert MOST // 3 < sizes <= MOST


async def test_what_was_done_is_said_and_is_not_to_be_sent_again(database_url: str) -> None:
    async with serving(database_url) as client:
        problem = "; ".join(f"raise wall {number} of house {number}" for number in range(200))
        refused = refusal_of(await client.call_tool("breakdown", {"problem": problem}))
        message = refused["error"]
        assert "was carried out and must not be sent again: run " in message
        run = message.split("run ", 1)[1].split(" ")[0]
        page = (await client.read_resource(f"reasonloom://run/{run}")).contents[0]
        assert "done" in page.text  # type: ignore[union-attr]


async def test_a_page_is_cut_and_says_so(database_url: str) -> None:
    async with serving(database_url) as client:
        (identifier,) = await filled(client, 1)
        whole = (await client.read_resource(f"reasonloom://memory/{identifier}")).contents[0]
        assert "Cut here" not in whole.text  # type: ignore[union-attr]
        long = {"content": "Word. " * 5_000, "userId": "local", "sessionId": "s",
                "primarySector": "semantic"}  # fmt: skip
        stored = await client.call_tool("remember", long)
        assert stored.structured_content
        identifier = stored.structured_content["data"]["memoryId"]
        cut = (await client.read_resource(f"reasonloom://memory/{identifier}")).contents[0].text  # type: ignore[union-attr]
        assert len(cut) < MOST + 200
        assert "characters are left out (REASONLOOM_ANSWER_CHARACTERS)." in cut
        assert cut.count("\n```") % 2 == 0


async def test_arguments_that_shorten_an_answer_are_some_tools_own(database_url: str) -> None:
    async with serving(database_url) as client:
        tools = (await client.list_tools()).tools
    known = {name for tool in tools for name in tool.input_schema["properties"]}
    assert set(SHORTENING_ARGUMENTS) <= known


def test_a_limit_that_would_refuse_its_own_refusal_stops_the_start() -> None:
    with pytest.raises(SettingMistake, match="REASONLOOM_ANSWER_CHARACTERS"):
        load_settings(answer_characters=100)
