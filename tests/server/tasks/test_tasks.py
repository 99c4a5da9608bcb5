"""Long calls as tasks: with the SDK's client, in both revisions, over both transports."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from reasonloom.server.auth.token_file import append_entry, new_entry
from tests.support.clients.processes import PATIENCE, command, web
from tests.support.clients.tasks import HANDSHAKE, MODERN, TaskClient, task_client
from tests.support.llms.providers import Provider

REVISIONS = [MODERN, HANDSHAKE]
TRANSPORTS = ["stdio", "http"]
LINEAR = "reasoning_linear"


@asynccontextmanager
async def opened(
    env: dict[str, str], folder: Path, transport: str, revision: str
) -> AsyncIterator[TaskClient]:
    """Yield a client of a server of its own."""
    if transport == "stdio":
        parts = command()
        server = StdioServerParameters(command=parts[0], args=parts[1:], env=env)
        async with task_client(server, revision) as client:
            yield client
        return
    with web(env, folder) as site:
        async with task_client(site.url, revision) as client:
            yield client


@asynccontextmanager
async def both(
    env: dict[str, str], folder: Path, revision: str
) -> AsyncIterator[tuple[TaskClient, Client]]:
    """Yield a client that takes tasks, and one of the same server that takes none."""
    with web(env, folder) as site:
        async with (
            task_client(site.url, revision) as client,
            Client(site.url, mode=revision) as plain,
        ):
            yield client, plain


@asynccontextmanager
async def authenticated(url: str, revision: str, token: str) -> AsyncIterator[TaskClient]:
    """Yield a client with a token."""
    headers = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as client:
        transport = streamable_http_client(url, http_client=client)
        async with task_client(transport, revision) as opened_client:
            yield opened_client


def new_token(path: Path, owner: str, *scopes: str) -> str:
    """Add a token to a file; return it."""
    token, entry = new_entry(owner, scopes or ("read", "write"), None)
    append_entry(path, entry)
    return token


async def wait_for_request(provider: Provider, word: bytes) -> None:
    """Wait until the provider is asked about a word."""
    end = time.monotonic() + PATIENCE
    while not any(word in each for each in provider.asked):
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


async def interrupted(env: dict[str, str], run_id: str) -> None:
    """Make a run one that was cut a day ago and that no process may resume by itself."""
    async with await psycopg.AsyncConnection.connect(env["DATABASE_URL"]) as connection:
        await connection.execute("DELETE FROM reasonloom.leases WHERE run_id = %s", [run_id])
        await connection.execute(
            "UPDATE reasonloom.runs SET status = 'interrupted', "
            "created_at = created_at - interval '1 day' WHERE id = %s", [run_id],
        )  # fmt: skip


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_long_call_is_answered_at_once_and_fetched_later(
    env: dict[str, str], folder: Path, transport: str, revision: str
) -> None:
    async with opened(env, folder, transport, revision) as client:
        task = await client.begin(LINEAR, content="What of the slow way?")
        assert task["status"] == "working"
        known = await client.get(task["taskId"])
        assert known["taskId"] == task["taskId"]
        assert "result" not in known
        result = await client.result(task["taskId"])
        assert result["structuredContent"]["content"] == "So it is."
        again = await client.get(task["taskId"])
        assert again["status"] == "completed"
        with pytest.raises(MCPError, match="Task not found: nonsense"):
            await client.get("nonsense")


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_killed_server_leaves_its_task_to_a_replica(
    env: dict[str, str], folder: Path, provider: Provider, revision: str
) -> None:
    with web(env, folder) as first, web(env, folder) as second:
        async with task_client(first.url, revision) as client:
            task = await client.begin(LINEAR, content="What of the endless way?")
            await wait_for_request(provider, b"endless")
            first.child.kill()
            provider.delays = {}
        async with task_client(second.url, revision) as client:
            result = await client.result(task["taskId"])
            assert result["structuredContent"]["content"] == "So it is."


@pytest.mark.parametrize("revision", REVISIONS)
async def test_the_next_day_a_task_that_nobody_finished_is_resumed(
    env: dict[str, str], folder: Path, provider: Provider, revision: str
) -> None:
    with web(env, folder) as first:
        async with task_client(first.url, revision) as client:
            task = await client.begin(LINEAR, content="What of the endless way?")
            await wait_for_request(provider, b"endless")
            first.child.kill()
    await interrupted(env, task["taskId"])
    provider.delays = {}
    async with opened(env, folder, "stdio", revision) as client:
        result = await client.result(task["taskId"])
        assert result["structuredContent"]["content"] == "So it is."


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("by", ["its own server", "another replica", "a replica after a kill"])
async def test_a_cancelled_task_stays_cancelled(
    env: dict[str, str], folder: Path, provider: Provider, revision: str, by: str
) -> None:
    with web(env, folder) as first, web(env, folder) as second:
        async with task_client(first.url, revision) as client:
            task = await client.begin(LINEAR, content="What of the endless way?")
            await wait_for_request(provider, b"endless")
            if by == "its own server":
                await client.ask("tasks/cancel", task["taskId"])
        if by == "a replica after a kill":
            first.child.kill()
        async with task_client(second.url, revision) as client:
            if by != "its own server":
                await client.ask("tasks/cancel", task["taskId"])
            assert (await client.until(task["taskId"]))["status"] == "cancelled"
            if client.modern:
                assert "status" not in await client.ask("tasks/cancel", task["taskId"])
            else:
                with pytest.raises(MCPError, match="cannot be cancelled; it is cancelled"):
                    await client.ask("tasks/cancel", task["taskId"])
                with pytest.raises(MCPError, match="has no result; it is cancelled"):
                    await client.result(task["taskId"])
            assert (await client.get(task["taskId"]))["status"] == "cancelled"


@pytest.mark.parametrize("revision", REVISIONS)
async def test_an_error_of_the_tool_is_the_tasks_result(
    env: dict[str, str], folder: Path, provider: Provider, revision: str
) -> None:
    provider.refusal = "no such key"
    async with both(env, folder, revision) as (client, plain):
        task = await client.begin(LINEAR, content="What of the way?")
        ended = await client.until(task["taskId"])
        assert ended["status"] == ("completed" if client.modern else "failed")
        result = await client.result(task["taskId"])
        assert result["isError"] is True
        called: Any = await plain.call_tool(LINEAR, {"content": "What of it?"})
        assert result["content"][0]["text"] == called.content[0].text
        refused = client.begin(LINEAR, content="")
        if client.modern:
            assert (await refused)["isError"] is True
        else:
            with pytest.raises(MCPError, match="content"):
                await refused


@pytest.mark.parametrize("revision", REVISIONS)
async def test_the_chosen_mode_of_auto_is_part_of_its_task(
    env: dict[str, str], folder: Path, provider: Provider, revision: str
) -> None:
    provider.said = {
        "recommended_mode": "linear", "rationale": "It is simple.", "confidence": 0.8,
        "thought": "So it is.",
    }  # fmt: skip
    async with both(env, folder, revision) as (client, plain):
        arguments = {"content": "What of the way?", "execute": True}
        task = await client.begin("reasoning_auto", **arguments)
        found = (await client.result(task["taskId"]))["structuredContent"]
        called = await plain.call_tool("reasoning_auto", arguments)
        assert found["executed"] == called.structured_content["executed"]
        assert found["result"]["content"] == "So it is."


async def test_the_handshake_lists_tasks_and_which_tools_have_them(
    env: dict[str, str], folder: Path
) -> None:
    async with opened(env, folder, "stdio", HANDSHAKE) as client:
        able: Any = client.client.session.server_capabilities
        assert able.tasks.model_dump(exclude_none=True) == {
            "list": {}, "cancel": {}, "requests": {"tools": {"call": {}}},
        }  # fmt: skip
        begun = [(await client.begin(LINEAR, content=f"What of {n}?"))["taskId"] for n in range(3)]
        listed = (await client.listed())["tasks"]
        assert [each["taskId"] for each in listed] == begun[::-1]
        rest = (await client.listed(begun[2]))["tasks"]
        assert [each["taskId"] for each in rest] == begun[1::-1]
        tools: dict[str, Any] = {
            each.name: each for each in (await client.client.list_tools()).tools
        }
        assert tools[LINEAR].execution.task_support == "optional"
        assert tools["recall"].execution is None
        with pytest.raises(MCPError, match="recall has no tasks"):
            await client.begin("recall", text="x")
        with pytest.raises(MCPError, match="Method not found"):
            await client.ask("tasks/update", begun[0], inputResponses={})


async def test_without_the_extension_nothing_of_tasks_is_served(
    env: dict[str, str], folder: Path
) -> None:
    with web(env, folder) as site:
        async with task_client(site.url, MODERN, extensions=[]) as client:
            result = await client.client.call_tool(LINEAR, {"content": "What of it?"})
            assert result.structured_content["content"] == "So it is."
            for method in ("tasks/get", "tasks/cancel"):
                with pytest.raises(MCPError) as refused:
                    await client.ask(method, "0")
                assert refused.value.error.code == -32021
        async with task_client(f"{site.url}/as/langbase-reasoning", MODERN) as client:
            able: Any = client.client.session.server_capabilities
            assert able.extensions is None
            with pytest.raises(MCPError, match="Not Found"):
                await client.get("0")


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_token_reaches_the_tasks_of_its_owner_and_tools_alone(
    env: dict[str, str], folder: Path, tmp_path: Path, revision: str
) -> None:
    tokens = tmp_path / "tokens"
    mine, other = new_token(tokens, "anna"), new_token(tokens, "bert")
    narrow = new_token(tokens, "anna", "read:thought")
    with web({**env, "REASONLOOM_TOKENS": str(tokens)}, folder) as site:
        async with authenticated(site.url, revision, mine) as client:
            task = await client.begin(LINEAR, content="What of the slow way?")
            texts = set()
            for token in (other, narrow):
                async with authenticated(site.url, revision, token) as stranger:
                    for method in ("tasks/get", "tasks/cancel"):
                        with pytest.raises(MCPError) as unknown:
                            await stranger.ask(method, task["taskId"])
                        texts.add(str(unknown.value))
            assert texts == {f"Task not found: {task['taskId']}"}
            assert (await client.until(task["taskId"]))["status"] == "completed"


async def test_without_a_model_a_call_is_so_fast_that_the_extension_gets_its_result(
    env: dict[str, str], folder: Path
) -> None:
    offline = {**env, "REASONLOOM_LLM": "offline"}
    async with opened(offline, folder, "stdio", MODERN) as client:
        assert "content" in await client.begin(LINEAR, content="What of the way?")
    async with opened(offline, folder, "stdio", HANDSHAKE) as client:
        task = await client.begin(LINEAR, content="What of the way?")
        assert (await client.until(task["taskId"]))["status"] == "completed"
        assert "content" in await client.result(task["taskId"])
