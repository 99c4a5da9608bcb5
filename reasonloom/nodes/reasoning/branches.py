"""List, focus and complete the branches of a session; create and list its checkpoints."""

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import (
    Branch,
    BranchList,
    ChangedBranch,
    Checkpoint,
    CheckpointCreate,
    CheckpointList,
    CheckpointsListed,
    SetCheckpoint,
    TreeComplete,
    TreeFocus,
    TreeList,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import branches, checkpoints, sessions
from reasonloom.stores.sessions.branches import BranchRow
from reasonloom.stores.sessions.checkpoints import CheckpointRow, NewCheckpoint


def render_branch(branch: BranchRow, active: UUID) -> dict[str, Any]:
    """Render a branch for answers; `active` is the id of the session's active branch."""
    return {
        "id": str(branch.id),
        "session_id": str(branch.session_id),
        "name": branch.name,
        "parent_id": str(branch.parent_id) if branch.parent_id else None,
        "state": branch.state,
        "confidence": branch.confidence,
        "priority": branch.priority,
        "head_thought_id": str(branch.head_id) if branch.head_id else None,
        "active": branch.id == active,
        "created_at": branch.created_at.isoformat(),
        "updated_at": branch.updated_at.isoformat(),
    }


def render_checkpoint(checkpoint: CheckpointRow) -> dict[str, Any]:
    """Render a checkpoint for answers, without its snapshot."""
    return {
        "id": str(checkpoint.id),
        "session_id": str(checkpoint.session_id),
        "branch_id": str(checkpoint.branch_id),
        "thought_id": str(checkpoint.head_id) if checkpoint.head_id else None,
        "name": checkpoint.name,
        "description": checkpoint.description,
        "created_at": checkpoint.created_at.isoformat(),
    }


ROOT_STAYS = "the root branch has no parent and stays the active one; a step on it opens it again"


async def tree_complete(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Set the branch's final state; if it was active, its parent becomes active."""
    execution = runtime.context
    request = execution.request(TreeComplete)
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
        answer = ChangedBranch(**render_branch(branch, active), active_branch_id=str(active))
        return await complete_run(tx, execution, answer, notes=notes, session_id=session.id)


async def tree_focus(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Make the branch the session's active one, reopening it if it was finished."""
    execution = runtime.context
    request = execution.request(TreeFocus)
    notes = []
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.hold(tx, request.session_id)
        await branches.plant_root(tx, session.id)
        branch = await branches.require(tx, session, request.branch_id)
        if branch.state != branches.ACTIVE:
            notes.append(f"the branch was {branch.state}; it is open again")
            branch = await branches.set_state(tx, branch, branches.ACTIVE)
        await sessions.make_active(tx, session.id, branch.id)
        answer = ChangedBranch(**render_branch(branch, branch.id), active_branch_id=str(branch.id))
        return await complete_run(tx, execution, answer, notes=notes, session_id=session.id)


async def tree_list(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """List all branches of the session and the active one."""
    execution = runtime.context
    request = execution.request(TreeList)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.require(tx, request.session_id)
        tx.end_with_next()
        found = await branches.of_session(tx, session)
    answer = BranchList(
        session_id=str(session.id),
        active_branch_id=str(session.active_branch_id),
        branches=[Branch(**render_branch(each, session.active_branch_id)) for each in found],
    )
    return {"answer": answer.wire()}


async def checkpoint_create(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Save the session's state under a name."""
    execution = runtime.context
    request = execution.request(CheckpointCreate)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.hold(tx, request.session_id)
        await branches.plant_root(tx, session.id)
        branch = await branches.active(tx, session)
        new = NewCheckpoint(
            id=execution.run.effect("checkpoint"),
            session_id=session.id,
            branch_id=branch.id,
            head_id=branch.head_id,
            name=request.name,
            description=request.description,
            snapshot=await checkpoints.capture_state(tx, session),
            run_id=execution.run.id,
        )
        answer = SetCheckpoint(**render_checkpoint(await checkpoints.create(tx, new)))
        return await complete_run(tx, execution, answer, notes=[], session_id=session.id)


async def checkpoint_list(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """List all checkpoints of the session with their snapshots."""
    execution = runtime.context
    request = execution.request(CheckpointList)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.require(tx, request.session_id)
        tx.end_with_next()
        found = await checkpoints.of_session(tx, session.id)
    answer = CheckpointsListed(
        session_id=str(session.id),
        checkpoints=[
            Checkpoint(**render_checkpoint(each), snapshot=each.snapshot) for each in found
        ],
    )
    return {"answer": answer.wire()}
