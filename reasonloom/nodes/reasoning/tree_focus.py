"""Makes a branch the active one of its session."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import ChangedBranch, TreeFocus
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.branches import shown_branch
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import branches, sessions


async def tree_focus(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Let the session's next steps stand on the request's branch, opened again where finished."""
    execution = runtime.context
    request = TreeFocus.model_validate(state["request"])
    notes = []
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.hold(tx, request.session_id)
        await branches.plant_root(tx, session.id)
        branch = await branches.require(tx, session, request.branch_id)
        if branch.state != branches.ACTIVE:
            notes.append(f"the branch was {branch.state}; it is open again")
            branch = await branches.set_state(tx, branch, branches.ACTIVE)
        await sessions.make_active(tx, session.id, branch.id)
        answer = ChangedBranch(**shown_branch(branch, branch.id), active_branch_id=str(branch.id))
        return await finish(tx, execution, answer, notes=notes, session_id=session.id)
