"""Sets a checkpoint: a name for the state that a session has now."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import CheckpointCreate, SetCheckpoint
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.branches import shown_checkpoint
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import branches, checkpoints, sessions, states
from reasonloom.stores.sessions.checkpoints import NewCheckpoint


async def checkpoint_create(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Keep the state of the request's session under a name."""
    execution = runtime.context
    request = CheckpointCreate.model_validate(state["request"])
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
            snapshot=await states.capture(tx, session),
            run_id=execution.run.id,
        )
        answer = SetCheckpoint(**shown_checkpoint(await checkpoints.create(tx, new)))
        return await finish(tx, execution, answer, notes=[], session_id=session.id)
