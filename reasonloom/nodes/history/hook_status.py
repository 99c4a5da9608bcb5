"""The `history_hook_status` tool: when each hook last ran, and how it ended."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.history import HookStatus, HookSummary
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.history import hooks
from reasonloom.stores.history.hooks import HookRun

HOOKS = ("session-start", "session-end", "pre-compact", "claudemd-generator")
"""The hooks in the reference's order."""

NEVER = "no hook ever ran here: `reasonloom hooks install` writes them into Claude Code's settings"


async def history_hook_status(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the owner's last run of each hook."""
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        runs = await hooks.last_runs(tx)
    answer = render_hooks(runs)
    return {"answer": answer.wire(), "notes": [] if runs else [NEVER]}


def render_hooks(runs: Sequence[HookRun]) -> HookStatus:
    """Return every hook with its last run, and the report."""
    by_name = {run.hook: run for run in runs}
    listed = [_hook_values(name, by_name.get(name)) for name in HOOKS]
    lines = [_line(name, by_name.get(name)) for name in HOOKS]
    return HookStatus(text="\n".join(["Hooks:", "", *lines]), hooks=listed)


def _hook_values(name: str, run: HookRun | None) -> HookSummary:
    if run is None:
        return HookSummary(
            hook=name, ran_at=None, succeeded=None, message=None, milliseconds=None, project=None
        )
    return HookSummary(
        hook=name,
        ran_at=_iso(run.ran_at),
        succeeded=run.succeeded,
        message=run.message,
        milliseconds=round(run.milliseconds, 1),
        project=run.project,
    )


def _line(name: str, run: HookRun | None) -> str:
    if run is None:
        return f"- {name}: never ran"
    ended = "succeeded" if run.succeeded else "FAILED"
    project = f", project {run.project}" if run.project else ""
    took = f"{run.milliseconds / 1000:.1f} s"
    return f"- {name}: last run {_iso(run.ran_at)}, {ended} in {took}{project}: {run.message}"


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
