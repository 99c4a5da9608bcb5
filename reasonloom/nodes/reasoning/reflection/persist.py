"""Persist a reflection as the session's next thought, and answer with it."""

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.reflection import FocusFinding, Reflection
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import OPEN_QUESTION
from reasonloom.nodes.reasoning.attempts import caveats
from reasonloom.nodes.reasoning.persist import StoredStep, persist_step
from reasonloom.nodes.reasoning.reflection.steps import MODE, ReflectionState
from reasonloom.nodes.sessions.context import next_thought
from reasonloom.stores.sessions.thoughts import NewThought

CUT_SHORT = ("budget", "llm_failed", "unreadable_answer")


async def persist_reflection(state: ReflectionState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the reflection at the end of the active branch, and as a memory."""
    execution = runtime.context
    thought = _thought(execution, state)
    return await persist_step(
        execution, state, thought, lambda step: _answer(execution, state, step)
    )


def _accepted(state: ReflectionState) -> int:
    return sum(bool(each.get("accepted")) for each in state["rounds"])


def _is_open(critique: dict[str, Any]) -> bool:
    return critique["by"] == "none" and not critique.get("said")


def _analysis(state: ReflectionState) -> str:
    """Return the reflection as one text: the findings, and the improved answer if there is one."""
    first = state["rounds"][0]
    if _is_open(first):
        return str(first["question"])
    parts = [
        f"{title}: {' '.join(first[key])}"
        for title, key in (
            ("Strengths", "strengths"),
            ("Weaknesses", "weaknesses"),
            ("Recommendations", "recommendations"),
        )
        if first[key]
    ]
    parts += [f"{each['area']}: {each['finding']}" for each in first["findings"]]
    if first.get("said"):
        parts.append(f"The critic said: {first['said']}")
    if _accepted(state):
        parts.append(f"Improved: {state['best']['content']}")
    return "\n".join(parts) or "Nothing was found for or against it."


def _thought(execution: Execution, state: ReflectionState) -> NewThought:
    best, given, sure = state["best"], state["answer_given"], state["best"]["confidence"]
    return next_thought(
        execution,
        state["session"],
        mode=MODE,
        question=given["content"],
        content=_analysis(state),
        confidence=state["rounds"][0]["confidence"] if sure is None else sure,
        metadata={"reflects_on": given["id"], "rounds": state["rounds"], "best": best["content"]},
    )


def _answer(execution: Execution, state: ReflectionState, step: StoredStep) -> Reflection:
    first, because = state["rounds"][0], state["stopped"]["because"]
    extra: dict[str, Any] = {"partial": True} if because in CUT_SHORT else {}
    if _is_open(first):
        extra["kind"] = OPEN_QUESTION
    extra |= caveats(execution)
    return Reflection(
        **step.fields(),
        strengths=first["strengths"],
        weaknesses=first["weaknesses"],
        recommendations=first["recommendations"],
        improved_reasoning=state["best"]["content"],
        focus=[FocusFinding(**each) for each in first["findings"]],
        iterations=len(state["rounds"]),
        accepted=_accepted(state),
        stopped_because=because,
        reflects_on=state["answer_given"]["id"],
        **extra,
    )
