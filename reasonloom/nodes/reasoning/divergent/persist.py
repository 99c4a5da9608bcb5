"""Persist divergent reasoning: perspectives on branches, the synthesis as the session's step."""

from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.divergent import (
    CheckedConstraint,
    DivergentThought,
    Perspective,
    ReasoningDivergent,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import OPEN_QUESTION
from reasonloom.nodes.reasoning.attempts import caveats
from reasonloom.nodes.reasoning.divergent.perspectives import (
    best_attempt,
    broken_constraints,
    label,
    latest_views,
    usable_views,
)
from reasonloom.nodes.reasoning.divergent.steps import MODE, DivergentState
from reasonloom.nodes.reasoning.persist import StoredStep, ThoughtMemory, persist_step
from reasonloom.nodes.sessions.context import next_thought, open_session
from reasonloom.stores.database import Transaction
from reasonloom.stores.pipelines import together
from reasonloom.stores.sessions import branches, sessions
from reasonloom.stores.sessions.branches import COMPLETED, NewBranch
from reasonloom.stores.sessions.thoughts import NewThought


async def persist_perspectives(
    state: DivergentState, runtime: Runtime[Execution]
) -> dict[str, Any]:
    """Store the perspectives and the synthesis in one transaction, and answer."""
    execution = runtime.context
    request = execution.request(ReasoningDivergent)
    views = usable_views(state["views"])
    thought = _synthesis(execution, state, views)
    sprouts = [_sprout(execution, state, view) for view in views]
    return await persist_step(
        execution,
        state,
        thought,
        lambda step: _answer(execution, state, step, request),
        store=partial(_store, execution, thought, sprouts),
    )


async def _store(
    execution: Execution,
    thought: NewThought,
    sprouts: list[tuple[NewBranch, NewThought]],
    tx: Transaction,
    memory: ThoughtMemory,
) -> UUID:
    """Store all thoughts, complete the perspectives' branches, return the synthesis's branch."""
    session = thought.session_id
    await together(
        open_session(tx, execution, session, MODE),
        sessions.hold(tx, str(session)),
        branches.plant_root(tx, session),
    )
    await branches.grow(tx, sprouts)
    completed = branches.set_states(tx, [branch.id for branch, _ in sprouts], COMPLETED)
    fork = execution.run.effect("fork")
    return await branches.extend(tx, thought, fork=fork, first=[completed], writes=memory.writes)


def _synthesis(
    execution: Execution, state: DivergentState, views: list[dict[str, Any]]
) -> NewThought:
    best = best_attempt(state["attempts"])
    named = [each for each in views if label(each) in best["sources"]]
    return next_thought(
        execution,
        state["session"],
        mode=MODE,
        question=state["request"]["content"],
        content=best["content"],
        confidence=best["confidence"],
        metadata={"sources": [_id(execution, each) for each in named]},
    )


def _sprout(
    execution: Execution, state: DivergentState, view: dict[str, Any]
) -> tuple[NewBranch, NewThought]:
    """Return a new branch for a perspective, and the perspective as its first thought."""
    place, run = state["session"], execution.run
    head = UUID(place["head"]) if place["head"] else None
    branch = NewBranch(
        id=run.effect("branch", str(view["number"])),
        session_id=UUID(place["id"]),
        name=f"perspective: {view['lens']}",
        parent_id=UUID(place["branch"]),
        head_id=head,
        run_id=run.id,
        metadata={"mode": MODE},
    )
    thought = next_thought(
        execution,
        {**place, "branch": str(branch.id)},
        mode=MODE,
        question=state["request"]["content"],
        content=view["viewpoint"],
        confidence=view["confidence"],
        metadata={
            "lens": view["lens"],
            "novelty_score": state["novelty"][label(view)],
            "constraints": view["constraints"],
        },
    )
    return branch, replace(thought, id=run.effect("perspective", str(view["number"])))


def _id(execution: Execution, view: dict[str, Any]) -> str:
    return str(execution.run.effect("perspective", str(view["number"])))


def _answer(
    execution: Execution, state: DivergentState, step: StoredStep, request: ReasoningDivergent
) -> DivergentThought:
    thought = step.thought
    extra = caveats(execution, thought.confidence, request.confidence)
    offline = execution.loom.llm.offline
    faults = any("fault" in each for each in latest_views(state["views"]))
    if faults or not (offline or best_attempt(state["attempts"])["made"]):
        extra["partial"] = True
    return DivergentThought(
        **step.fields(),
        perspectives=[
            _perspective_fields(execution, state, each) for each in usable_views(state["views"])
        ],
        synthesis=thought.content,
        sources=thought.metadata["sources"],
        **extra,
    )


def _perspective_fields(
    execution: Execution, state: DivergentState, view: dict[str, Any]
) -> Perspective:
    return Perspective(
        id=_id(execution, view),
        viewpoint=view["viewpoint"],
        novelty_score=round(state["novelty"][label(view)], 4),
        lens=view["lens"],
        branch_id=str(execution.run.effect("branch", str(view["number"]))),
        confidence=float(view["confidence"]),
        constraints=[CheckedConstraint(**each) for each in view["constraints"]],
        violates=bool(broken_constraints(view)),
        **({"kind": OPEN_QUESTION} if execution.loom.llm.offline else {}),
    )
