"""Marks a branch as completed or abandoned."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import ChangedBranch, TreeComplete
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.branches import shown_branch
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import branches, sessions

ROOT_STAYS = "the root branch has no parent and stays the active one; a step on it opens it again"


async def tree_complete(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Give the request's branch its last state; where it was active, its parent becomes active."""
    execution = runtime.context
    request = TreeComplete.model_validate(state["request"])
    notes = []
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.hold(tx, request.session_id)
        await branches.plant_root(tx, session.id)
        branch = await branches.require(tx, session, request.branch_id)
        branch = await branches.set_state(tx, branch, request.state)
        active = session.active_branch_id
        if branch.id == active and branch.parent_id:
            active = branch.parent_id
            await sessions.make_active(tx, session.id, active)
        elif branch.id == active:
            notes.append(ROOT_STAYS)
        answer = ChangedBranch(**shown_branch(branch, active), active_branch_id=str(active))
        return await finish(tx, execution, answer, notes=notes, session_id=session.id)
