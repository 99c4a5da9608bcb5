"""Persist tree reasoning in one transaction, and answer."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.tree import ExploredBranch, ExploredTree, FailedBranch
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import OPEN_QUESTION, quotes_on
from reasonloom.nodes.reasoning.attempts import caveats
from reasonloom.nodes.reasoning.persist import StoredStep, ThoughtMemory, persist_step
from reasonloom.nodes.reasoning.tree.state import MODE, UNEXPLORED, Outcome, TreeState
from reasonloom.nodes.sessions.context import append_thought, next_thought
from reasonloom.stores.database import Transaction
from reasonloom.stores.sessions import branches
from reasonloom.stores.sessions.branches import ACTIVE, NewBranch
from reasonloom.stores.sessions.thoughts import NewThought

KEPT = "{content}\n\nRecommended, of {count} explored: {name}. {reason}"
OTHERS = " Also explored: {names}."
AGAIN = "explored twice to reach the requested confidence; the more confident exploration is kept"
FEWER = "{failed} of {count} approaches failed"
RAN_OUT = "a limit of the run was reached ({limit}): this is the best so far"
LOST = "{lost} of {count} ballots failed"
UNJUDGED = "the branches were not judged: their confidence is their own claim"


async def persist_tree(state: TreeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the thought and one branch with a thought per approach, and answer."""
    execution = runtime.context
    outcome = max(state["outcomes"], key=lambda each: each["confidence"])
    thought = _thought(execution, state, outcome)

    async def store(tx: Transaction, memory: ThoughtMemory) -> UUID:
        branch, _ = await append_thought(tx, execution, thought, memory.writes)
        grown = [
            _explored_branch(execution, thought, branch, outcome, place)
            for place in range(len(outcome["branches"]))
        ]
        await branches.grow(tx, grown)
        return branch

    return await persist_step(
        execution,
        state,
        thought,
        lambda step: _answer(execution, state, outcome, step),
        notes=_notes(state, outcome),
        distinct=True,
        store=store,
    )


def _thought(execution: Execution, state: TreeState, outcome: Outcome) -> NewThought:
    best = outcome["branches"][outcome["best"]]
    question = state["request"]["content"]
    return next_thought(
        execution,
        state["place"],
        mode=MODE,
        question=question,
        content="\n".join([*quotes_on(question, state["memories"]), best["content"]])
        if best["check"] == UNEXPLORED
        else _summary(outcome, best),
        confidence=outcome["confidence"],
        metadata={"recommended_branch": str(execution.run.effect("branch", str(outcome["best"])))},
    )


def _summary(outcome: Outcome, best: dict[str, Any]) -> str:
    others = [each["name"] for each in outcome["branches"] if each is not best]
    content = KEPT.format(
        content=best["content"],
        count=len(outcome["branches"]),
        name=best["name"],
        reason=outcome["reason"],
    )
    return content + (OTHERS.format(names="; ".join(others)) if others else "")


def _explored_branch(
    execution: Execution, parent: NewThought, branch: UUID, outcome: Outcome, place: int
) -> tuple[NewBranch, NewThought]:
    """Return a branch with its thought for an approach; the recommended one has priority 1."""
    explored = outcome["branches"][place]
    metadata = {
        name: explored[name] for name in ("confidence", "score", "votes", "check", "merged")
    }
    sure = explored["confidence"] if explored["score"] is None else explored["score"]
    grown = NewBranch(
        id=execution.run.effect("branch", str(place)),
        session_id=parent.session_id,
        name=explored["name"],
        parent_id=branch,
        head_id=parent.id,
        confidence=execution.capped(sure),
        priority=int(place == outcome["best"]),
        run_id=execution.run.id,
        metadata=metadata,
    )
    thought = replace(
        parent,
        id=execution.run.effect("branch_thought", str(place)),
        parent_id=parent.id,
        branch_id=grown.id,
        content=explored["content"],
        confidence=execution.capped(sure),
        metadata=metadata,
    )
    return grown, thought


def _notes(state: TreeState, outcome: Outcome) -> list[str]:
    failed = outcome["failed"]
    count = len(failed) + sum(1 + len(each["merged"]) for each in outcome["branches"])
    checks = {each["check"] for each in outcome["branches"]}
    notes = {
        AGAIN: len(state["outcomes"]) > 1,
        FEWER.format(failed=len(failed), count=count): failed,
        LOST.format(lost=outcome["lost"], count=outcome["lost"] + outcome["ballots"]): outcome[
            "lost"
        ],
        RAN_OUT.format(limit=outcome["exhausted"]): outcome["exhausted"],
        UNJUDGED: checks == {"self_reported"},
    }
    return [note for note, holds in notes.items() if holds]


def _answer(
    execution: Execution, state: TreeState, outcome: Outcome, step: StoredStep
) -> ExploredTree:
    run = execution.run
    extra = caveats(execution, step.thought.confidence, state["request"].get("confidence"))
    explored_branches = [
        ExploredBranch(
            id=str(run.effect("branch", str(place))),
            thought_id=str(run.effect("branch_thought", str(place))),
            state=ACTIVE,
            **explored,
            **({"kind": OPEN_QUESTION} if explored["check"] == UNEXPLORED else {}),
        )
        for place, explored in enumerate(outcome["branches"])
    ]
    return ExploredTree(
        **step.fields(),
        branches_explored=sum(each.check != UNEXPLORED for each in explored_branches),
        recommended_branch=explored_branches[outcome["best"]].id,
        reason=outcome["reason"],
        branches=explored_branches,
        ballots=outcome["ballots"],
        **_shortfalls(outcome),
        **extra,
    )


def _shortfalls(outcome: Outcome) -> dict[str, Any]:
    """Return the answer's keys for failed branches, missing ballots and exhausted limits."""
    shortfalls: dict[str, Any] = {}
    if outcome["failed"]:
        shortfalls["failed_branches"] = [FailedBranch(**each) for each in outcome["failed"]]
    if outcome["exhausted"]:
        shortfalls["exhausted"] = outcome["exhausted"]
    unjudged = any(each["check"] == "self_reported" for each in outcome["branches"])
    if shortfalls or unjudged or outcome["lost"]:
        shortfalls["partial"] = True
    return shortfalls
