"""Keeps what analysing came to: the first thought of a session of its own, and a memory."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.keep_first import keep_first
from reasonloom.nodes.thinking.analyze.answer import answer_of, confidence
from reasonloom.nodes.thinking.analyze.selection import ANALYZE
from reasonloom.nodes.thinking.analyze.state import AnalysisState
from reasonloom.stores.sessions.thoughts import NewThought


async def keep_analysis(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the conclusion in one transaction, and answer with all that led to it."""
    execution = runtime.context
    thought = _thought(execution, state)
    ids = {"session": str(thought.session_id), "thought": str(thought.id)}
    return await keep_first(
        execution,
        thought,
        lambda: answer_of(execution, state, **ids),
        used=[each["id"] for each in state["memories"]],
        notes=state.get("notes", []),
    )


def _thought(execution: Execution, state: AnalysisState) -> NewThought:
    run, session = execution.run, execution.run.effect("session")
    return NewThought(
        id=run.effect("thought"),
        session_id=session,
        parent_id=None,
        branch_id=session,
        mode=ANALYZE,
        input=state["brief"]["problem"],
        content=state["outcome"]["conclusion"],
        confidence=confidence(state),
        llm=execution.loom.llm.name,
        run_id=run.id,
        metadata={"frameworks": state["plan"]["frameworks"]},
    )
