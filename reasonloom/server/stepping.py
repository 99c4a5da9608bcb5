"""Tells a client of a run's steps, and which run they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_types import ProgressNotification, ProgressNotificationParams

if TYPE_CHECKING:
    from mcp.server.mcpserver.context import Context

    from reasonloom.graphs.runs.call import Step

RUN = "io.reasonloom/run-id"
"""The entry of a notification's `_meta` by which an answer can be fetched after a broken stream."""


async def report_step(context: Context[Any, Any], step: Step) -> None:
    """Send a notification of progress, where the client asked for it by a token."""
    token = (context.request_context.meta or {}).get("progress_token")
    if token is None:  # a client in our own process has a callback, and no token
        await context.report_progress(step.ended, step.total, step.name)
        return
    params = ProgressNotificationParams.model_validate(
        {
            "progressToken": token,
            "progress": step.ended,
            "total": step.total,
            "message": step.name,
            "_meta": {RUN: str(step.run_id)},
        }
    )
    session = context.request_context.session
    note = ProgressNotification(params=params)
    await session.send_notification(note, related_request_id=context.request_context.request_id)
