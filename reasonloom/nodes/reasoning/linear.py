"""The steps of linear reasoning: recall what is known, continue the thought, persist it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import LinearThought, ReasoningLinear
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.attempts import (
    caveats,
    is_enough,
    memories_used_in,
    most_confident,
    next_attempt,
    recall_for,
)
from reasonloom.nodes.reasoning.persist import as_memory
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.sessions.context import BranchHistory, append_thought, branch_history
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import branches, sessions
from reasonloom.stores.sessions.thoughts import NewThought

MODE = "linear"
FORKED = (
    "another run has moved this branch on meanwhile: the thought stands on a branch of its own, "
    "{branch}; focus on it to continue from there"
)


class LinearState(ToolState, total=False):
    """The state of one step of linear reasoning.

    `session` holds the ids of the session, of the branch, and of its head (None at first).
    """

    session: dict[str, Any]
    history: list[dict[str, str]]
    memories: list[dict[str, Any]]
    attempts: list[dict[str, Any]]


async def recall_context(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the active branch's history and the relevant memories."""
    execution = runtime.context
    request = execution.request(ReasoningLinear)
    fresh = str(execution.run.effect("session"))
    session: dict[str, Any] = {"id": fresh, "branch": fresh, "head": None}
    history = BranchHistory()
    if request.session_id is not None:
        async with execution.loom.database.begin(execution.caller, searching=True) as tx:
            known = await sessions.require(tx, request.session_id)
            branch = await branches.active(tx, known)
            history = await branch_history(tx, execution, branch.head_id, request.content)
        head = str(branch.head_id) if branch.head_id else None
        session = {"id": str(known.id), "branch": str(branch.id), "head": head}
    memories, notes = await recall_for(execution, request.content)
    return {
        "session": session,
        "history": history.steps,
        "memories": memories,
        "notes": [*history.notes, *notes],
    }


async def continue_thought(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask the language model for the next step, or for a better one."""
    request = runtime.context.request(ReasoningLinear)
    question = Question(
        node="continue_thought",
        prompt="linear/continue",
        variables={},
        pipe=MODE,
        thread=state["session"]["id"],
    )
    return await next_attempt(runtime.context, state, question, request.content, request.confidence)


def is_sure_enough(state: LinearState) -> bool:
    """Tell whether the last attempt is confident enough, or was the last allowed."""
    return is_enough(state["attempts"], state["request"].get("confidence"))


async def persist_thought(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the best attempt in its session and in memory, and answer with it."""
    execution = runtime.context
    request = execution.request(ReasoningLinear)
    thought = _thought(execution, state, request)
    used = memories_used_in(execution, thought.content, state["memories"])
    memory, notes = await as_memory(execution, thought)
    async with execution.loom.database.begin(execution.caller) as tx:
        branch = await append_thought(tx, execution, thought)
        if branch != thought.branch_id:
            notes = [*notes, FORKED.format(branch=branch)]
        if memory:
            await memory.store(tx, used)
        answer = _answer(execution, thought, branch, used, request.confidence)
        all_notes = [*state.get("notes", []), *notes]
        added = await complete_run(
            tx, execution, answer, notes=all_notes, session_id=thought.session_id
        )
    return {**added, "notes": notes}


def _thought(execution: Execution, state: LinearState, request: ReasoningLinear) -> NewThought:
    best, place = most_confident(state["attempts"]), state["session"]
    return NewThought(
        id=execution.run.effect("thought"),
        session_id=UUID(place["id"]),
        parent_id=UUID(place["head"]) if place["head"] else None,
        branch_id=UUID(place["branch"]),
        mode=MODE,
        input=request.content,
        content=best["content"],
        confidence=best["confidence"],
        llm=execution.loom.llm.name,
        run_id=execution.run.id,
    )


def _answer(
    execution: Execution,
    thought: NewThought,
    branch: UUID,
    used: list[int],
    wanted: float | None,
) -> LinearThought:
    return LinearThought(
        thought_id=str(thought.id),
        session_id=str(thought.session_id),
        branch_id=str(branch),
        content=thought.content,
        confidence=thought.confidence,
        previous_thought=str(thought.parent_id) if thought.parent_id else None,
        llm=thought.llm,
        run_id=str(thought.run_id),
        memories_used=[f"mem-{number}" for number in used],
        **caveats(execution, thought.confidence, wanted, content=thought.content),
    )
