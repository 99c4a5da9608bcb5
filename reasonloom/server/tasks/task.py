"""A task, and the interface of what keeps tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, ErrorData

from reasonloom.server.names import truncated_name
from reasonloom.settings import DAY, Settings

Ctx = ServerRequestContext[Any, Any]
Status = Literal["working", "input_required", "completed", "failed", "cancelled"]
MILLISECONDS = 1_000


@dataclass(frozen=True, slots=True)
class Task:
    """A task as it is now.

    Attributes:
        message: what a person may read about its status.
        result: the tool's result, once completed. While input is required: the result that tells
            the calling model what to do.
        error: the JSON-RPC error of a failed one.
        requests: the open requests to the client by key, while input is required.
    """

    id: str
    status: Status
    created_at: datetime
    updated_at: datetime
    message: str | None = None
    result: CallToolResult | None = None
    error: ErrorData | None = None
    requests: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """Whether it will not change any more."""
        return self.status in ("completed", "failed", "cancelled")


class TaskSource(Protocol):
    """Begins and keeps tasks; each method knows only those of the request's owner."""

    def supports(self, tool: str) -> bool:
        """Return whether calls of a tool can be tasks."""

    async def begin(
        self, ctx: Ctx, params: CallToolRequestParams, *, required: bool
    ) -> Task | HandlerResult:
        """Call a tool as a task, or return its result; None if it is to be called as usual.

        With `required`, the client has asked for a task and expects nothing else.

        Raises:
            MCPError: the call is refused.
        """

    async def find(self, ctx: Ctx, task_id: str) -> Task:
        """Return a task.

        Raises:
            MCPError: the owner has no such task.
        """

    async def newest(self, ctx: Ctx, after: str | None, limit: int) -> Sequence[Task]:
        """Return tasks, newest first, those older than the task `after`."""

    async def update(self, ctx: Ctx, task_id: str, responses: Mapping[str, Any]) -> None:
        """Take responses to open requests; other keys are ignored.

        Raises:
            MCPError: the owner has no such task, or a response has the wrong form.
        """

    async def cancel(self, ctx: Ctx, task_id: str) -> None:
        """Cancel a task; one that has ended stays as it is.

        Raises:
            MCPError: the owner has no such task.
        """


def unknown_task(task_id: str) -> MCPError:
    """Return the error for a task that the owner does not have."""
    return MCPError(code=INVALID_PARAMS, message=f"Task not found: {truncated_name(task_id)}")


@dataclass(frozen=True, slots=True)
class Timing:
    """How long tasks are kept, None without limit, and how often to poll, in milliseconds."""

    ttl: int | None
    poll: int

    @classmethod
    def of(cls, settings: Settings) -> Timing:
        """Return the timing that the settings ask for."""
        ttl = int(settings.task_days * DAY * MILLISECONDS)
        return cls(ttl or None, int(settings.task_poll_seconds * MILLISECONDS))


def iso_time(moment: datetime) -> str:
    """Return a time in ISO 8601, in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
