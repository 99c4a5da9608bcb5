"""Clients hear of the status of their tasks: on a stream, or in the session that began them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import SubscriptionsAcknowledgedNotification

from tests.server.tasks.test_tasks import LINEAR, TRANSPORTS, authenticated, new_token
from tests.support.clients.processes import PATIENCE, command, web
from tests.support.clients.tasks import (
    ANYTHING,
    HANDSHAKE,
    MODERN,
    Plain,
    TaskClient,
    Tasks,
    task_client,
)
from tests.support.llms.providers import Provider

STDIO = "stdio"
SLOW = 6.0
"""Seconds of a reply, so that a busy machine listens before it is there."""


class Acknowledged:
    """The ids of tasks that a server agreed to notify of; None before it did."""

    def __init__(self) -> None:
        self.task_ids: list[str] | None = None

    async def __call__(self, message: Any) -> None:
        if isinstance(message, SubscriptionsAcknowledgedNotification):
            self.task_ids = (message.params.notifications.model_extra or {}).get("taskIds", [])


@asynccontextmanager
async def opened(
    env: dict[str, str], folder: Path, transport: str, revision: str, **more: Any
) -> AsyncIterator[TaskClient]:
    """Yield a client of a server of its own."""
    if transport == STDIO:
        parts = command()
        server = StdioServerParameters(command=parts[0], args=parts[1:], env=env)
        async with task_client(server, revision, **more) as client:
            yield client
        return
    with web(env, folder) as site:
        async with task_client(site.url, revision, **more) as client:
            yield client


async def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


async def listen(client: TaskClient, task_ids: Any) -> Any:
    """Listen to tasks until the stream ends."""
    sent = Plain(method="subscriptions/listen", params={"notifications": {"taskIds": task_ids}})
    return await client.client.session.send_request(sent, ANYTHING)


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_stream_tells_each_status_as_get_returns_it(
    env: dict[str, str], folder: Path, provider: Provider, transport: str
) -> None:
    provider.delays = {b"slow": SLOW}
    tasks, acknowledged = Tasks(), Acknowledged()
    more = {"extensions": [tasks], "message_handler": acknowledged}
    async with opened(env, folder, transport, MODERN, **more) as client:
        task = await client.begin(LINEAR, content="What of the slow way?")
        listening = asyncio.create_task(listen(client, [task["taskId"], "unknown"]))
        await until(lambda: acknowledged.task_ids is not None)
        assert acknowledged.task_ids == [task["taskId"]]
        await until(lambda: bool(tasks.heard) and tasks.heard[-1]["status"] == "completed")
        listening.cancel()
        assert [each["status"] for each in tasks.heard] == ["working", "completed"]
        got = await client.get(task["taskId"])
        of_answers = ("resultType", "_meta")
        assert tasks.heard[-1] == {name: got[name] for name in got if name not in of_answers}


async def test_a_session_hears_of_the_end_of_a_task_that_it_began(
    env: dict[str, str], folder: Path, provider: Provider
) -> None:
    provider.delays = {b"slow": SLOW}
    tasks = Tasks()
    async with opened(env, folder, STDIO, HANDSHAKE, extensions=[tasks]) as client:
        task = await client.begin(LINEAR, content="What of the slow way?")
        await until(lambda: bool(tasks.heard))
        assert [each["status"] for each in tasks.heard] == ["completed"]
        assert tasks.heard[0] == await client.get(task["taskId"])
        left = time.monotonic()
    assert time.monotonic() - left < 5


async def test_only_the_owner_listens_and_only_with_the_extension(
    env: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens"
    mine, other = new_token(tokens, "anna"), new_token(tokens, "bert")
    with web({**env, "REASONLOOM_TOKENS": str(tokens)}, folder) as site:
        async with (
            authenticated(site.url, MODERN, mine) as client,
            authenticated(site.url, MODERN, other) as stranger,
        ):
            task = await client.begin(LINEAR, content="What of the slow way?")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(3):
                    await listen(stranger, [task["taskId"]])
            for wrong, reason in (("0", "must be a list of ids"), ([1], "must be a list of ids"),
                                  ([task["taskId"]] * 101, "at most 100 tasks")):  # fmt: skip
                with pytest.raises(MCPError, match=reason):
                    await listen(client, wrong)
            await client.ask("tasks/cancel", task["taskId"])
    with web(env, folder) as site:
        async with task_client(site.url, MODERN, extensions=[]) as client:
            with pytest.raises(MCPError) as refused:
                await listen(client, ["0"])
            assert refused.value.error.code == -32021
