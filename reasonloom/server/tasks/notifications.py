"""Notifications of the status of tasks, in the forms of both revisions.

A client of 2026-07-28 listens to tasks by their ids. One of 2025-11-25 hears of the tasks that its
connection began.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Any

from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, SubscriptionFilter

from reasonloom.errors import ReasonloomError
from reasonloom.server.tasks.extension import TASKS
from reasonloom.server.tasks.forms import detailed_task, handshake_task
from reasonloom.server.tasks.task import Ctx, Task, TaskSource, Timing

log = logging.getLogger(__name__)
METHOD, HANDSHAKE_METHOD = "notifications/tasks", "notifications/tasks/status"
LOOK_AGAIN = 1.0
"""Seconds between two looks at the tasks that somebody follows."""

SEND_SECONDS = 5.0
"""Seconds after which a notification is dropped whose client does not read it."""

MOST_TASKS = 100
"""Maximum tasks that one stream listens to, and that one connection has followed."""

FOLLOWED = "reasonloom followed tasks"
"""Where a connection keeps the work that follows its tasks."""

TASK_IDS = 'notifications.taskIds: must be a list of ids of tasks, such as ["0199…"]'
Changed = Callable[[Task], Awaitable[None]]


class TaskNotifications:
    """Tells clients of the status of their tasks, whichever process executes them."""

    def __init__(self, source: TaskSource, timing: Timing) -> None:
        self._source = source
        self._timing = timing

    async def honored(self, ctx: Ctx, wanted: SubscriptionFilter) -> list[str]:
        """Return those of the requested tasks that the client has.

        Raises:
            MCPError: the ids have the wrong form or are too many, or the client has not declared
                the extension.
        """
        ids = (wanted.model_extra or {}).get("taskIds")
        if not ids:
            return []
        require_client_extension(ctx, TASKS)
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            raise MCPError(code=INVALID_PARAMS, message=TASK_IDS)
        if len(ids) > MOST_TASKS:
            reason = f"notifications.taskIds: at most {MOST_TASKS} tasks, not {len(ids)}"
            raise MCPError(code=INTERNAL_ERROR, message=reason)
        return [each for each in dict.fromkeys(ids) if await self._find(ctx, each) is not None]

    async def follow(
        self, ctx: Ctx, task_ids: Collection[str], put: Callable[[str, str, dict[str, Any]], None]
    ) -> None:
        """Put the status of each task, and each later one, until all have ended.

        `put` takes a key, a method and its parameters.
        """

        async def changed(task: Task) -> None:
            put(task.id, METHOD, detailed_task(task, self._timing))

        await self._look(ctx, dict.fromkeys(task_ids), changed)

    def begun(self, ctx: Ctx, task: Task) -> None:
        """Follow a task that a connection of 2025-11-25 began, until it ends or closes."""
        followed = _followed(ctx)
        if task.ended or len(followed) >= MOST_TASKS:
            return

        async def changed(task: Task) -> None:
            # Clients need not open a stream for notifications, and then never read them.
            with suppress(TimeoutError):
                async with asyncio.timeout(SEND_SECONDS):
                    params = handshake_task(task, self._timing)
                    await ctx.session._connection.notify(HANDSHAKE_METHOD, params)

        async def follow() -> None:
            await asyncio.sleep(LOOK_AGAIN)  # the client must learn of the task first
            await self._look(ctx, {task.id: (task.status, task.message)}, changed)

        work = asyncio.create_task(follow())
        followed.add(work)
        work.add_done_callback(followed.discard)

    async def _look(self, ctx: Ctx, known: dict[str, Any], changed: Changed) -> None:
        """Report each task that is not as `known`, by id, until all have ended."""
        known = dict(known)
        while known:
            for task_id in list(known):
                try:
                    task = await self._find(ctx, task_id)
                except (MCPError, ReasonloomError) as error:
                    log.info("a followed task cannot be read now: %s", error)
                    continue
                if task is not None and known[task_id] != (task.status, task.message):
                    known[task_id] = (task.status, task.message)
                    await changed(task)
                if task is None or task.ended:
                    del known[task_id]
            await asyncio.sleep(LOOK_AGAIN)

    async def _find(self, ctx: Ctx, task_id: str) -> Task | None:
        """Return a task, None if the request's owner has none of this id, or no longer."""
        try:
            return await self._source.find(ctx, task_id)
        except MCPError as error:
            if error.error.code != INVALID_PARAMS:
                raise
            return None


def _followed(ctx: Ctx) -> set[asyncio.Task[None]]:
    """Return the work that follows a connection's tasks; it ends when the connection closes."""
    connection = ctx.session._connection
    if FOLLOWED not in connection.state:
        kept: set[asyncio.Task[None]] = set()
        connection.state[FOLLOWED] = kept
        connection.exit_stack.callback(_cancel_all, kept)
    found: set[asyncio.Task[None]] = connection.state[FOLLOWED]
    return found


def _cancel_all(followed: set[asyncio.Task[None]]) -> None:
    for work in list(followed):
        work.cancel()
