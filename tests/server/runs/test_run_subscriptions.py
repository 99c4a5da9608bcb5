"""Clients learn when a run takes a step or ends, through the SDK's client in both revisions."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import JSONRPCRequest

from reasonloom.server.app import build_server
from reasonloom.server.auth.token_file import append_entry, new_entry
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.runs import run_watch
from reasonloom.server.stdio.pending_requests import PendingRequests
from reasonloom.settings import load_settings
from tests.server.tasks.test_tasks import authenticated
from tests.support.clients.processes import PATIENCE, command, web
from tests.support.clients.tasks import HANDSHAKE, MODERN, TaskClient, task_client

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
NOWHERE = "postgresql://127.0.0.1:1/none"
REVISIONS = [MODERN, HANDSHAKE]
TREE = {"content": "What of the slow way?"}
ENDLESS = {"content": "What of the endless way?"}


class News:
    """The URIs of the resources that have changed, as a client is told."""

    def __init__(self) -> None:
        self.uris: list[str] = []

    async def __call__(self, message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            self.uris.append(message.params.uri)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, self.uris
            await asyncio.sleep(0.05)


@asynccontextmanager
async def subscribed(client: Client, news: News, *uris: str) -> AsyncIterator[list[str]]:
    """Subscribe in the way of the client's revision; yield what was accepted."""
    if client.protocol_version == MODERN:
        async with client.listen(resource_subscriptions=uris) as stream:

            async def follow() -> None:
                async for event in stream:
                    news.uris.append(event.uri)  # type: ignore[union-attr]

            following = asyncio.create_task(follow())
            yield list(stream.honored.resource_subscriptions or [])
            following.cancel()
        return
    accepted = []
    for uri in uris:
        try:
            await client.subscribe_resource(uri)
            accepted.append(uri)
        except MCPError as error:
            if error.error.message != "Resource not found":
                raise
    yield accepted
    for uri in uris:
        await client.unsubscribe_resource(uri)


async def begun(client: TaskClient, arguments: dict[str, Any]) -> str:
    """Begin a run; return the URI of its page."""
    return f"reasonloom://run/{(await client.begin('reasoning_tree', **arguments))['taskId']}"


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_client_learns_of_steps_and_of_the_end(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    news = News()
    parts = command()
    server = StdioServerParameters(command=parts[0], args=parts[1:], env=env)
    async with task_client(server, revision, message_handler=news) as tasks:
        uri = await begun(tasks, TREE)
        async with subscribed(tasks.client, news, uri) as accepted:
            assert accepted == [uri]
            task = await tasks.until(uri.removeprefix("reasonloom://run/"))
            assert task["status"] == "completed"
            await asyncio.sleep(3 * run_watch.LOOK_AGAIN)
            assert set(news.uris) == {uri}
            seen = len(news.uris)
            assert seen > 1
            await asyncio.sleep(2 * run_watch.LOOK_AGAIN)
            assert len(news.uris) == seen
        async with subscribed(tasks.client, news, uri) as accepted:
            assert accepted == [uri]
        left = time.monotonic()
    assert time.monotonic() - left < 5


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_replica_tells_of_a_run_that_another_process_executes(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    news = News()
    with web(env, folder) as first, web(env, folder) as second:
        async with (
            task_client(first.url, revision) as tasks,
            Client(second.url, mode=revision, message_handler=news) as client,
        ):
            uri = await begun(tasks, ENDLESS)
            async with subscribed(client, news, uri) as accepted:
                assert accepted == [uri]
                await tasks.ask("tasks/cancel", uri.removeprefix("reasonloom://run/"))
                await news.until(lambda: uri in news.uris)


@pytest.mark.parametrize("revision", REVISIONS)
async def test_foreign_and_unknown_runs_are_the_same_and_the_number_is_bounded(
    env: dict[str, str], folder: Path, tmp_path: Path, revision: str
) -> None:
    tokens = tmp_path / "tokens"
    made = {}
    for owner in ("ada", "bob"):
        made[owner], entry = new_entry(owner, ("read", "write"), None)
        append_entry(tokens, entry)
    news = News()
    with web({**env, "REASONLOOM_TOKENS": str(tokens)}, folder) as site:
        async with (
            authenticated(site.url, revision, made["ada"]) as ada,
            authenticated(site.url, revision, made["bob"]) as bob,
        ):
            uri = await begun(ada, ENDLESS)
            unknown = f"reasonloom://run/{uuid.uuid4()}"
            foreign = [uri, unknown, "reasonloom://memory/1", "x"]
            async with subscribed(bob.client, news, *foreign) as accepted:
                assert accepted == []
            if revision == MODERN:
                many = [f"reasonloom://run/{uuid.uuid4()}" for _ in range(101)]
                with pytest.raises(MCPError, match="at most 100 runs of one owner"):
                    async with subscribed(bob.client, news, *many):
                        pass
            await ada.ask("tasks/cancel", uri.removeprefix("reasonloom://run/"))
    assert news.uris == []


@pytest.mark.parametrize("revision", REVISIONS)
async def test_the_end_of_a_connection_ends_what_it_watches(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    with web(env, folder) as site:
        async with task_client(site.url, revision) as tasks:
            uri = await begun(tasks, ENDLESS)
            many = await copies(env, uri, run_watch.MOST_WATCHED)
            async with Client(site.url, mode=revision) as other, AsyncExitStack() as stack:
                accepted = await stack.enter_async_context(subscribed(other, News(), *many))
                assert set(accepted) == set(many)
                with pytest.raises(MCPError, match="at most 100 runs of one owner"):
                    await stack.enter_async_context(subscribed(tasks.client, News(), uri))
                stack.pop_all()  # so that it does not unsubscribe
            async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack:
                while not (accepted := await again(stack, tasks.client, uri)):
                    await asyncio.sleep(0.1)
                assert accepted == [uri]
            await tasks.ask("tasks/cancel", uri.removeprefix("reasonloom://run/"))


async def again(stack: AsyncExitStack, client: Client, uri: str) -> list[str]:
    """Subscribe to a run; return nothing while the owner watches too many."""
    try:
        return await stack.enter_async_context(subscribed(client, News(), uri))
    except MCPError as error:
        assert "at most 100" in error.error.message
        return []


async def copies(env: dict[str, str], uri: str, count: int) -> list[str]:
    """Store copies of a run; return the URIs of their pages."""
    async with await psycopg.AsyncConnection.connect(env["DATABASE_URL"]) as connection:
        rows = await connection.execute(
            "INSERT INTO reasonloom.runs (owner, id, tool, graph, graph_version, input, status, "
            "created_at, space) SELECT owner, gen_random_uuid(), tool, graph, graph_version, "
            "input, status, created_at, space FROM reasonloom.runs, generate_series(1, %s) "
            "WHERE id = %s RETURNING id",
            [count, uri.removeprefix("reasonloom://run/")],
        )
        return [f"reasonloom://run/{each}" for (each,) in await rows.fetchall()]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_only_runs_are_announced_and_references_have_none(mode: str) -> None:
    for given, subscribes in (({}, True), ({"serve_as": "thoughtmcp"}, None)):
        settings = load_settings(database_url=NOWHERE, **given)
        async with (
            EngineLifespan(settings) as room,
            Client(build_server(room), mode=mode) as client,
        ):
            able = client.session.server_capabilities
            assert able is not None
            assert (able.resources and able.resources.subscribe) is subscribes
            lists = [able.tools, able.resources, able.prompts]
            assert not any(each and each.list_changed for each in lists)


def test_an_open_stream_does_not_delay_the_end_of_a_stdio_server() -> None:
    pending = PendingRequests()
    pending.came(JSONRPCRequest(jsonrpc="2.0", id=1, method="subscriptions/listen"))
    pending.came(JSONRPCRequest(jsonrpc="2.0", id=2, method="tools/call"))
    assert pending.take() == [2]
