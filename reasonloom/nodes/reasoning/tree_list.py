"""Lists the branches of a session."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import Branch, BranchList, TreeList
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.branches import shown_branch
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import branches, sessions


async def tree_list(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return every branch of the request's session, and which is active."""
    execution = runtime.context
    request = TreeList.model_validate(state["request"])
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.require(tx, request.session_id)
        found = await branches.of_session(tx, session)
    answer = BranchList(
        session_id=str(session.id),
        active_branch_id=str(session.active_branch_id),
        branches=[Branch(**shown_branch(each, session.active_branch_id)) for each in found],
    )
    return {"answer": answer.wire()}
