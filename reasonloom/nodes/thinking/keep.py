"""Keeps what thinking came to: the first thought of a session of its own, and a memory."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.nodes.finish import finish
from reasonloom.nodes.keep import keep_as_memory
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thinking.answer import answer_of, confidence
from reasonloom.nodes.thinking.state import ThinkingState
from reasonloom.stores import branches, sessions
from reasonloom.stores.thoughts import NewThought


async def keep_thinking(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the conclusion in one transaction, and answer with all that led to it."""
    execution = runtime.context
    thought = _thought(execution, state)
    memory, notes = await keep_as_memory(execution, thought)
    used = [each["id"] for each in state["memories"]]
    session = thought.session_id
    async with execution.loom.database.begin(execution.caller) as tx:
        await sessions.open_session(tx, session, mode=thought.mode, client=execution.caller.client)
        await branches.plant_root(tx, session)
        await branches.extend(tx, thought, fork=execution.run.effect("fork"))
        if memory:
            await memory.store(tx, used)
        answer = answer_of(execution, state, session=str(session), thought=str(thought.id))
        all_notes = [*state.get("notes", []), *notes]
        added = await finish(tx, execution, answer, notes=all_notes, session_id=session)
    return {**added, "notes": notes}


def _thought(execution: Execution, state: ThinkingState) -> NewThought:
    run, brief = execution.run, state["brief"]
    session = run.effect("session")
    return NewThought(
        id=run.effect("thought"),
        session_id=session,
        parent_id=None,
        branch_id=session,
        mode=brief["tool"],
        input=brief["problem"],
        content=state["synthesis"]["conclusion"],
        confidence=confidence(state),
        llm=execution.loom.llm.name,
        run_id=run.id,
        metadata={"streams": brief["streams"]},
    )
