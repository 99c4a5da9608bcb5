"""Lists the checkpoints of a session."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import Checkpoint, CheckpointList, CheckpointsListed
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.branches import shown_checkpoint
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import checkpoints, sessions


async def checkpoint_list(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return every checkpoint of the request's session with the state that it keeps."""
    execution = runtime.context
    request = CheckpointList.model_validate(state["request"])
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.require(tx, request.session_id)
        found = await checkpoints.of_session(tx, session.id)
    answer = CheckpointsListed(
        session_id=str(session.id),
        checkpoints=[
            Checkpoint(**shown_checkpoint(each), snapshot=each.snapshot) for each in found
        ],
    )
    return {"answer": answer.wire()}
