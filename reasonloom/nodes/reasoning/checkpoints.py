"""Create and list the checkpoints of a session."""

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import (
    Checkpoint,
    CheckpointCreate,
    CheckpointList,
    CheckpointsListed,
    SetCheckpoint,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.branches import render_checkpoint
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import branches, checkpoints, sessions
from reasonloom.stores.sessions.checkpoints import NewCheckpoint


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
