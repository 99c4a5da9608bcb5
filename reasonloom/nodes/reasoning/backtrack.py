"""Steps of backtracking: find the checkpoint, explore a new direction, restore on a branch.

Only the last step writes to the database, so a language model failure changes nothing.
"""

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.linear import Backtrack, Backtracked
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.attempts import caveats, is_enough, most_confident, next_attempt
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.reasoning.lookup import MemoryState, memories_used_in
from reasonloom.nodes.reasoning.persist import StoredStep, as_memory
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.sessions.context import branch_history, next_thought
from reasonloom.stores.database import Transaction
from reasonloom.stores.pipelines import together
from reasonloom.stores.sessions import branches, checkpoints, sessions, thoughts
from reasonloom.stores.sessions.branches import NewBranch
from reasonloom.stores.sessions.checkpoints import CheckpointRow
from reasonloom.stores.sessions.thoughts import NewThought
from reasonloom.text.shortening import shorten

MODE = "backtracking"
LONGEST_NAME = 120
"""Maximum characters of the new branch's name, built from checkpoint name and direction."""


class BacktrackState(MemoryState, total=False):
    """The state of backtracking; `place` holds the ids of session, checkpoint and head."""

    place: dict[str, Any]
    history: list[dict[str, str]]
    attempts: list[dict[str, Any]]


async def find_checkpoint(state: BacktrackState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the checkpoint and, if a direction is given, the context for exploring it."""
    execution = runtime.context
    request = execution.request(Backtrack)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        checkpoint = await _checkpoint(tx, request)
        direction = request.new_direction or ""
        history = await branch_history(
            tx, execution, checkpoint.head_id if direction else None, direction
        )
    recalled = recall_for(execution, direction, history.problem) if direction else None
    memories, notes = await recalled if recalled else ([], [])
    head = str(checkpoint.head_id) if checkpoint.head_id else None
    return {
        "place": {
            "session": str(checkpoint.session_id), "checkpoint": str(checkpoint.id), "head": head,
        },
        "history": history.steps,
        "memories": memories,
        "attempts": [],
        "notes": [*history.notes, *notes],
    }  # fmt: skip


async def _checkpoint(tx: Transaction, request: Backtrack) -> CheckpointRow:
    if request.session_id is None:
        return await checkpoints.require(tx, request.checkpoint_id)
    session = await sessions.require(tx, request.session_id)
    return await checkpoints.require(tx, request.checkpoint_id, session_id=session.id)


async def explore_direction(state: BacktrackState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Generate the first step in the new direction, or retry one that was too unsure."""
    request = runtime.context.request(Backtrack)
    question = Question(
        node="explore_direction",
        prompt="backtrack/explore",
        variables={},
        pipe=MODE,
        thread=state["place"]["session"],
    )
    direction = request.new_direction or ""
    return await next_attempt(runtime.context, state, question, direction, request.confidence)


def is_explored(state: BacktrackState) -> bool:
    """Return whether there is no direction to explore, or its thought is confident enough."""
    request = state["request"]
    if not request.get("new_direction"):
        return True
    attempts = state["attempts"]
    return bool(attempts) and is_enough(attempts, request.get("confidence"))


async def restore_state(state: BacktrackState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Restore the checkpoint on a new branch, with the new thought as its first step."""
    execution = runtime.context
    request = execution.request(Backtrack)
    thought = _thought(execution, state, request)
    used = memories_used_in(execution, thought.content, state) if thought else []
    memory, notes = await as_memory(execution, thought, used) if thought else (None, [])
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.hold(tx, state["place"]["session"])
        checkpoint = await checkpoints.require(tx, state["place"]["checkpoint"])
        await checkpoints.snapshot_state(
            tx, session, snapshot_id=execution.run.effect("left"), cause=MODE,
            run_id=execution.run.id,
        )  # fmt: skip
        branch = _branch(execution, checkpoint, request.new_direction)
        if await branches.plant(tx, branch):
            await checkpoints.restore_state(tx, session, checkpoint.snapshot, new_branch=branch.id)
        if thought and memory:
            await together(branches.append(tx, thought), *memory.writes(tx))
        step = StoredStep(thought, branch.id, used) if thought else None
        answer = await _answer(tx, execution, state, step)
        all_notes = [*state.get("notes", []), *notes]
        added = await complete_run(
            tx,
            execution,
            answer,
            notes=all_notes,
            session_id=session.id,
            memories=state["memories"],
        )
    return {**added, "notes": notes}


def _branch(execution: Execution, checkpoint: CheckpointRow, direction: str | None) -> NewBranch:
    name = f"from {checkpoint.name}" + (f": {direction}" if direction else "")
    return NewBranch(
        id=execution.run.effect("branch"),
        session_id=checkpoint.session_id,
        name=shorten(name, LONGEST_NAME, placeholder="…"),
        parent_id=checkpoint.branch_id,
        head_id=checkpoint.head_id,
        run_id=execution.run.id,
        metadata={"checkpoint_id": str(checkpoint.id)},
    )


def _thought(execution: Execution, state: BacktrackState, request: Backtrack) -> NewThought | None:
    if not request.new_direction:
        return None
    best, place = most_confident(state["attempts"]), state["place"]
    branch = str(execution.run.effect("branch"))
    return next_thought(
        execution,
        {"id": place["session"], "branch": branch, "head": place["head"]},
        mode=MODE,
        question=request.new_direction,
        content=best["content"],
        confidence=best["confidence"],
        metadata={"checkpoint_id": place["checkpoint"]},
    )


async def _answer(
    tx: Transaction, execution: Execution, state: BacktrackState, step: StoredStep | None
) -> Backtracked:
    """Build the answer from the new thought, or from the checkpoint's head if there is none."""
    place, wanted = state["place"], state["request"].get("confidence")
    if step:
        return Backtracked(
            checkpoint_id=place["checkpoint"],
            **step.fields(),
            **caveats(execution, step.thought.confidence, wanted),
        )
    at = await thoughts.require(tx, place["head"]) if place["head"] else None
    sure = at.confidence if at else 0.0
    return Backtracked(
        session_id=place["session"],
        branch_id=str(execution.run.effect("branch")),
        checkpoint_id=place["checkpoint"],
        run_id=str(execution.run.id),
        thought_id=place["head"],
        content=at.content if at else "",
        confidence=sure,
        previous_thought=str(at.parent_id) if at and at.parent_id else None,
        **({"below_threshold": True} if wanted is not None and sure < wanted else {}),
    )
