"""Fixtures that tell their client something before they answer: progress, logs, changed lists."""

from __future__ import annotations

import anyio

from tests.support.conformance_server.fixture import (
    Fixture,
    Nothing,
    ToolContext,
    ToolResult,
    result_of,
)

A_MOMENT = 0.05
"""Seconds between two messages, so that a client can receive them one by one."""


async def progress(request: Nothing, context: ToolContext) -> ToolResult:
    """Reports its progress three times."""
    for done in (0, 50, 100):
        await context.report_progress(done, 100, f"Completed step {done} of 100")
        await anyio.sleep(A_MOMENT)
    return result_of("All steps are done.")


async def logging(request: Nothing, context: ToolContext) -> ToolResult:
    """Writes to its client's log three times."""
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.log("info", text)
        await anyio.sleep(A_MOMENT)
    return result_of("Three messages were logged.")


async def tools_changed(request: Nothing, context: ToolContext) -> ToolResult:
    """Tells subscribers that the list of tools has changed, which it has not."""
    await context.notify_tools_changed()
    return result_of("Told.")


async def prompts_changed(request: Nothing, context: ToolContext) -> ToolResult:
    """Tells subscribers that the list of prompts has changed, which it has not."""
    await context.notify_prompts_changed()
    return result_of("Told.")


FIXTURES = (
    Fixture("test_tool_with_progress", progress),
    Fixture("test_tool_with_logging", logging),
    Fixture("test_logging_tool", logging),
    Fixture("test_trigger_tool_change", tools_changed),
    Fixture("test_trigger_prompt_change", prompts_changed),
)
