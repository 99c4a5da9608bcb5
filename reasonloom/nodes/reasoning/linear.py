"""Steps of linear reasoning: continue the thought, persist it."""

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import LinearThought, ReasoningLinear
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.attempts import caveats, is_enough, most_confident, next_attempt
from reasonloom.nodes.reasoning.lookup import MemoryState
from reasonloom.nodes.reasoning.persist import StoredStep, persist_step
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.sessions.context import next_thought

MODE = "linear"


class LinearState(MemoryState, total=False):
    """The state of one step of linear reasoning.

    `session` holds the ids of the session, of the branch, and of its head (None at first).
    """

    session: dict[str, Any]
    history: list[dict[str, str]]
    attempts: list[dict[str, Any]]


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
        execution, state, thought, lambda step: thought_answer(execution, step, request.confidence)
    )


def thought_answer(
    execution: Execution, step: StoredStep, wanted: float | None = None
) -> LinearThought:
    """Return the answer of a step; `wanted` is the requested confidence."""
    return LinearThought(**step.fields(), **caveats(execution, step.thought.confidence, wanted))
