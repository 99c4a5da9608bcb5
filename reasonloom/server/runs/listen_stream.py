"""The stream of one `subscriptions/listen`: it acknowledges, and sends what has changed since."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import INVALID_REQUEST, SubscriptionFilter

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


class ListenStream:
    """Notifications that wait to be sent: at most one a key, the newest.

    The SDK's stream drops what an extension adds to the filter, such as `taskIds`.
    """

    def __init__(self, ctx: ServerRequestContext[Any, Any]) -> None:
        if ctx.request_id is None:
            raise MCPError(INVALID_REQUEST, "subscriptions/listen requires a request id")
        self._channel = ctx.session._request_outbound
        self._meta = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}
        self._waiting: dict[str, tuple[str, dict[str, Any]]] = {}
        self._more = asyncio.Event()

    def put(self, key: str, method: str, params: dict[str, Any]) -> None:
        """Send a notification soon; it replaces one of the same key that was not sent yet."""
        self._waiting[key] = (method, params)
        self._more.set()

    async def acknowledge(self, honored: SubscriptionFilter) -> None:
        """Send what the server agrees to notify of, before anything else."""
        honored_json = honored.model_dump(by_alias=True, mode="json", exclude_none=True)
        await self._send(ACKNOWLEDGED, {"notifications": honored_json})

    async def send_all(self) -> NoReturn:
        """Send what was put, until the client closes the stream, which cancels this."""
        while True:
            await self._more.wait()
            self._more.clear()
            while self._waiting:
                method, params = self._waiting.pop(next(iter(self._waiting)))
                await self._send(method, params)

    async def _send(self, method: str, params: dict[str, Any]) -> None:
        await self._channel.notify(method, {**params, "_meta": self._meta})
