"""`resources/subscribe` of the older revisions, and `subscriptions/listen` of 2026-07-28."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import UUID

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)

from reasonloom.server.auth.principal import caller_of, scopes_of
from reasonloom.server.auth.scopes import readable
from reasonloom.server.resource_index import NOT_FOUND
from reasonloom.server.resources.kind import Kind
from reasonloom.server.runs.listen_stream import ListenStream
from reasonloom.server.runs.run_watch import RunWatch, Watch
from reasonloom.server.tasks.notifications import TaskNotifications

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.server.engine_lifespan import EngineLifespan

Ctx = ServerRequestContext[Any, Any]
UPDATED = "notifications/resources/updated"
WATCHES = "reasonloom watches"
"""Where a connection keeps its watches, by run."""

SEND_SECONDS = 5.0
"""Seconds after which a notification is dropped whose client does not read it."""


class RunSubscriptions:
    """Tells clients of changes of the runs that they subscribe to; `kind` is that of runs.

    With `tasks`, a stream of 2026-07-28 may listen to tasks too.
    """

    def __init__(
        self, kind: Kind, lifespan: EngineLifespan, tasks: TaskNotifications | None
    ) -> None:
        self._kind = kind
        self._lifespan = lifespan
        self._tasks = tasks
        self._runs = RunWatch(lifespan)

    def serve(self, server: Server[Any]) -> None:
        """Add the methods; each revision reaches only its own.

        Without sessions, nothing could be sent to clients of the older revisions later.
        """
        listening = SubscriptionsListenRequestParams
        server.add_request_handler("subscriptions/listen", listening, self._listen)
        if not self._lifespan.settings.stateless:
            leaving = UnsubscribeRequestParams
            server.add_request_handler("resources/subscribe", SubscribeRequestParams, self._begin)
            server.add_request_handler("resources/unsubscribe", leaving, self._leave)

    async def _listen(self, ctx: Ctx, params: SubscriptionsListenRequestParams) -> NoReturn:
        """Serve a stream of changes; what is unknown or foreign is left out of it."""
        stream, wanted = ListenStream(ctx), params.notifications
        listed = wanted.resource_subscriptions or []
        uris = {run_id: uri for uri in listed if (run_id := self._run_id(ctx, uri))}
        task_ids = await self._tasks.honored(ctx, wanted) if self._tasks else []

        async def changed(run_id: UUID) -> None:
            stream.put(uris[run_id], UPDATED, {"uri": uris[run_id]})

        watch = await self._runs.begin(self._caller(ctx), uris, changed)
        try:
            await stream.acknowledge(_honored([uris[each] for each in watch.found], task_ids))
            async with asyncio.TaskGroup() as group:
                if self._tasks and task_ids:
                    group.create_task(self._tasks.follow(ctx, task_ids, stream.put))
                await stream.send_all()
        finally:
            self._runs.end(watch)

    async def _begin(self, ctx: Ctx, params: SubscribeRequestParams) -> EmptyResult:
        """Subscribe a connection to a run, until it unsubscribes or closes."""
        run_id = self._run_id(ctx, params.uri)
        watches = self._watches(ctx)
        changed = partial(self._send, ctx, params.uri)
        watch = await self._runs.begin(self._caller(ctx), [run_id] if run_id else [], changed)
        if run_id not in watch.found:
            raise MCPError(code=INVALID_PARAMS, message=NOT_FOUND, data={"uri": params.uri})
        if before := watches.pop(run_id, None):
            self._runs.end(before)
        if watch.known:
            watches[run_id] = watch
        return EmptyResult()

    async def _leave(self, ctx: Ctx, params: UnsubscribeRequestParams) -> EmptyResult:
        run_id = self._run_id(ctx, params.uri)
        if run_id and (watch := self._watches(ctx).pop(run_id, None)):
            self._runs.end(watch)
        return EmptyResult()

    def _watches(self, ctx: Ctx) -> dict[UUID, Watch]:
        """Return the watches of a connection, which end when it closes."""
        connection = ctx.session._connection
        if WATCHES not in connection.state:
            connection.state[WATCHES] = {}
            connection.exit_stack.callback(self._end_all, connection.state[WATCHES])
        found: dict[UUID, Watch] = connection.state[WATCHES]
        return found

    def _end_all(self, watches: dict[UUID, Watch]) -> None:
        for watch in watches.values():
            self._runs.end(watch)
        watches.clear()

    async def _send(self, ctx: Ctx, uri: str, run_id: UUID) -> None:
        """Notify a connection in the background."""

        async def send() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(SEND_SECONDS):
                    await ctx.session.send_resource_updated(uri)

        self._lifespan.start(send())

    def _run_id(self, ctx: Ctx, uri: str) -> UUID | None:
        """Return the run of a URI that the request's token may read."""
        from reasonloom.stores.identifiers import parse_uuid  # noqa: PLC0415 - heavy

        identifier = self._kind.id_in(uri) if readable(scopes_of(ctx), self._kind) else None
        return parse_uuid(identifier) if identifier else None

    def _caller(self, ctx: Ctx) -> Caller:
        return caller_of(self._lifespan.settings, Context(request_context=ctx))


def _honored(uris: Sequence[str], task_ids: Sequence[str]) -> SubscriptionFilter:
    """Return the filter with which a stream is acknowledged."""
    more = {"taskIds": list(task_ids)} if task_ids else {}
    return SubscriptionFilter(resource_subscriptions=list(uris) or None, **more)
