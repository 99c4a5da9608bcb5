"""Steps of linear reasoning: recall context, continue the thought, persist it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.base import Answer
from reasonloom.contracts.reasoning.linear import LinearThought, ReasoningLinear
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.attempts import (
    caveats,
    is_enough,
    most_confident,
    next_attempt,
)
from reasonloom.nodes.reasoning.context import recall_in_session
from reasonloom.nodes.reasoning.lookup import MemoryState, memories_used_in
from reasonloom.nodes.reasoning.persist import as_memory
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.sessions.context import append_thought, next_thought
from reasonloom.stores.sessions.thoughts import NewThought

MODE = "linear"


class LinearState(MemoryState, total=False):
    """The state of one step of linear reasoning.

    `session` holds the ids of the session, of the branch, and of its head (None at first).
    """

    session: dict[str, Any]
    history: list[dict[str, str]]
    attempts: list[dict[str, Any]]


async def recall_context(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the active branch's history and the relevant memories."""
    execution = runtime.context
    request = execution.request(ReasoningLinear)
    session, found = await recall_in_session(execution, request.session_id, request.content)
    return {"session": session, **found}


async def continue_thought(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Generate the next step, or retry one that was too unsure."""
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
    """Return whether the last attempt is confident enough or was the last one allowed."""
    return is_enough(state["attempts"], state["request"].get("confidence"))


async def persist_thought(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the best attempt in its session and in memory, and return it."""
    execution = runtime.context
    request = execution.request(ReasoningLinear)
    best = most_confident(state["attempts"])
    thought = next_thought(
        execution, state["session"], mode=MODE, question=request.content,
        content=best["content"], confidence=best["confidence"],
    )  # fmt: skip
    return await persist_step(
        execution, state, thought, lambda step: step, wanted=request.confidence
    )


async def persist_step(
    execution: Execution,
    state: MemoryState,
    thought: NewThought,
    answer: Callable[[LinearThought], Answer],
    wanted: float | None = None,
) -> dict[str, Any]:
    """Store a thought in its session and in memory; return the last node's state update.

    `answer` builds the run's answer from that of the thought; `wanted` is the requested confidence.
    """
    used = memories_used_in(execution, thought.content, state)
    memory, notes = await as_memory(execution, thought, used)
    async with execution.loom.database.begin(execution.caller) as tx:
        branch, forked = await append_thought(tx, execution, thought, memory.writes)
        notes = [*notes, *forked]
        step = _thought_answer(execution, thought, branch, used, wanted)
        added = await complete_run(
            tx,
            execution,
            answer(step),
            notes=[*state.get("notes", []), *notes],
            session_id=thought.session_id,
            memories=state["memories"],
        )
    return {**added, "notes": notes}


def _thought_answer(
    execution: Execution, thought: NewThought, branch: UUID, used: list[int], wanted: float | None
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
        **caveats(execution, thought.confidence, wanted),
    )
