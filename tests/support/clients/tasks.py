"""The SDK's client with tasks: the extension of 2026-07-28, and the methods of 2025-11-25."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

from mcp import Client, StdioServerParameters
from mcp.client import Transport
from mcp.client.extension import (
    ClaimContext,
    ClientExtension,
    NotificationBinding,
    ResultClaim,
)
from mcp_types import CallToolResult, NotificationParams, Request, Result
from pydantic import ConfigDict, TypeAdapter

from reasonloom.server.tasks.extension import TASKS
from reasonloom.server.tasks.notifications import HANDSHAKE_METHOD, METHOD
from tests.support.clients.processes import PATIENCE

MODERN, HANDSHAKE = "2026-07-28", "legacy"
ANYTHING: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
ENDED = ("completed", "failed", "cancelled")


class Created(Result):
    """The answer to a call that became a task, as the extension has it."""

    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = "task"
    task_id: str
    status: str


async def _kept(created: Created, context: ClaimContext) -> CallToolResult:
    raise AssertionError("the client takes the handle")


class Status(NotificationParams):
    """The parameters of a notification about a task."""

    model_config = ConfigDict(extra="allow")


class Tasks(ClientExtension):
    """Declares the extension, and takes handles of tasks; `heard` gets what it is notified of."""

    identifier = TASKS

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    def notifications(self) -> list[NotificationBinding[Any]]:
        return [
            NotificationBinding(method=name, params_type=Status, handler=self._hear)
            for name in (METHOD, HANDSHAKE_METHOD)
        ]

    async def _hear(self, params: Status) -> None:
        found = dict(params.model_extra or {})
        self.heard.append(found)

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Created, resolve=_kept)]


class OfTask(Request[dict[str, Any], str]):
    """A request about a task."""

    name_param = "taskId"


class Plain(Request[dict[str, Any], str]):
    """A request that names no task."""


class TaskClient:
    """An open client that takes tasks, of either revision."""

    def __init__(self, client: Client, revision: str) -> None:
        self.client = client
        self.modern = revision == MODERN

    async def begin(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool as a task; return the task, or the result where there is none."""
        if self.modern:
            session = self.client.session
            found = await session.call_tool(tool, arguments, allow_claimed=True)
            return found.model_dump(by_alias=True, mode="json", exclude_none=True)
        params = {"name": tool, "arguments": arguments, "task": {"ttl": 60_000}}
        # The SDK's own call accepts nothing but a result, so this goes past its checks.
        send = self.client.session._dispatcher.send_raw_request
        made = await send("tools/call", params, {"headers": {}})
        return {**made["task"], "_meta": made.get("_meta")}

    async def ask(self, method: str, task_id: str, **params: Any) -> dict[str, Any]:
        """Send a request about a task."""
        sent = OfTask(method=method, params={"taskId": task_id, **params})
        found: dict[str, Any] = await self.client.session.send_request(sent, ANYTHING)
        return found

    async def get(self, task_id: str) -> dict[str, Any]:
        """Return a task."""
        return await self.ask("tasks/get", task_id)

    async def until(self, task_id: str, *statuses: str) -> dict[str, Any]:
        """Poll a task until it has one of these statuses, or has ended."""
        end = time.monotonic() + PATIENCE
        while (task := await self.get(task_id))["status"] not in (*statuses, *ENDED):
            assert time.monotonic() < end, task
            await asyncio.sleep(0.1)
        return task

    async def result(self, task_id: str) -> dict[str, Any]:
        """Return the result of a task, in the way of the revision."""
        if self.modern:
            return dict((await self.until(task_id))["result"])
        return await self.ask("tasks/result", task_id)

    async def listed(self, cursor: str | None = None) -> dict[str, Any]:
        """Return a page of the list of tasks; only 2025-11-25 has one."""
        sent = Plain(method="tasks/list", params={"cursor": cursor} if cursor else {})
        found: dict[str, Any] = await self.client.session.send_request(sent, ANYTHING)
        return found


@asynccontextmanager
async def task_client(
    server: StdioServerParameters | Transport | str, revision: str, **more: Any
) -> AsyncIterator[TaskClient]:
    """Yield a client of a server that it starts (stdio) or that listens (URL)."""
    given = {"extensions": [Tasks()] if revision == MODERN else []} | more
    async with Client(server, mode=revision, **given) as client:
        yield TaskClient(client, revision)
