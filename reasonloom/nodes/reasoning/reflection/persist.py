"""Persist a reflection as the session's next thought, and answer with it."""

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.reflection import FocusFinding, Reflection
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import OPEN_QUESTION
from reasonloom.nodes.reasoning.attempts import caveats
from reasonloom.nodes.reasoning.lookup import memories_used_in
from reasonloom.nodes.reasoning.persist import as_memory
from reasonloom.nodes.reasoning.reflection.steps import MODE, ReflectionState
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sessions.context import append_thought, next_thought
from reasonloom.stores.sessions.thoughts import NewThought

CUT_SHORT = ("budget", "llm_failed", "unreadable_answer")


async def persist_reflection(state: ReflectionState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the reflection at the end of the active branch, and as a memory."""
    execution = runtime.context
    thought = _thought(execution, state)
    used = memories_used_in(execution, thought.content, state)
    memory, notes = await as_memory(execution, thought, used)
    async with execution.loom.database.begin(execution.caller) as tx:
        branch, forked = await append_thought(tx, execution, thought, memory.writes)
        notes = [*notes, *forked]
        answer = _answer(execution, state, thought, branch, used)
        all_notes = [*state.get("notes", []), *notes]
        added = await complete_run(
            tx,
            execution,
            answer,
            notes=all_notes,
            session_id=thought.session_id,
            memories=state.get("memories", []),
        )
    return {**added, "notes": notes}


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


def _answer(
    execution: Execution,
    state: ReflectionState,
    thought: NewThought,
    branch: UUID,
    used: list[int],
) -> Reflection:
    first, because = state["rounds"][0], state["stopped"]["because"]
    extra: dict[str, Any] = {"partial": True} if because in CUT_SHORT else {}
    if _is_open(first):
        extra["kind"] = OPEN_QUESTION
    extra |= caveats(execution)
    return Reflection(
        thought_id=str(thought.id),
        session_id=str(thought.session_id),
        branch_id=str(branch),
        content=thought.content,
        confidence=thought.confidence,
        strengths=first["strengths"],
        weaknesses=first["weaknesses"],
        recommendations=first["recommendations"],
        improved_reasoning=state["best"]["content"],
        focus=[FocusFinding(**each) for each in first["findings"]],
        iterations=len(state["rounds"]),
        accepted=_accepted(state),
        stopped_because=because,
        reflects_on=state["answer_given"]["id"],
        previous_thought=str(thought.parent_id) if thought.parent_id else None,
        llm=thought.llm,
        run_id=str(execution.run.id),
        memories_used=[f"mem-{number}" for number in used],
        **extra,
    )
