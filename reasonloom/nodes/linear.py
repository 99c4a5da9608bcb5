"""The steps of linear reasoning: recall what is known, continue the thought, keep it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning import LinearThought, ReasoningLinear
from reasonloom.llm.port import Reply
from reasonloom.nodes.ask import Question, ask
from reasonloom.nodes.find import find
from reasonloom.nodes.finish import finish
from reasonloom.nodes.keep import keep_as_memory
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores import sessions, thoughts
from reasonloom.stores.search import Scope
from reasonloom.stores.thoughts import NewThought

MODE = "linear"
MOST_MEMORIES = 5
MOST_HISTORY = 20
MOST_ATTEMPTS = 2
DEFAULT_CONFIDENCE = 0.8
"""What the reference gives a reply that is not the JSON it was asked for."""

RECALLED_KINDS = ("user", "tool", "transcript")
DOUBT = (
    "A first attempt came out with confidence {confidence:.2f}, below the {wanted:.2f} asked "
    "for: {content}"
)


class LinearState(ToolState, total=False):
    """What one step of linear reasoning carries from node to node."""

    session: dict[str, Any]
    history: list[dict[str, str]]
    memories: list[dict[str, Any]]
    attempts: list[dict[str, Any]]


async def recall_context(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the session's history and the memories that the thought calls for."""
    execution = runtime.context
    request = ReasoningLinear.model_validate(state["request"])
    session: dict[str, Any] = {"id": str(execution.run.effect("session")), "previous": None}
    history: list[dict[str, str]] = []
    if request.session_id is not None:
        async with execution.loom.database.begin(execution.caller) as tx:
            known = await sessions.require(tx, request.session_id)
            past = await thoughts.history(tx, known, limit=MOST_HISTORY)
        session = {"id": str(known), "previous": str(past[-1].id) if past else None}
        history = [{"input": each.input, "content": each.content} for each in past]
    memories, notes = await _memories(execution, request.content)
    return {"session": session, "history": history, "memories": memories, "notes": notes}


async def _memories(execution: Execution, content: str) -> tuple[list[dict[str, Any]], list[str]]:
    if not execution.loom.settings.auto_memory:
        return [], []
    finding = await find(
        execution, content, scope=Scope(kinds=RECALLED_KINDS), wanted=MOST_MEMORIES
    )
    best = [each.memory for each in finding.scored[:MOST_MEMORIES]]
    execution.loom.journal.reinforce(execution.caller, [memory.id for memory in best])
    return [{"id": memory.id, "content": memory.content} for memory in best], finding.notes


async def continue_thought(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask the language model for the next step, or for a better one."""
    attempts = state.get("attempts", [])
    request = ReasoningLinear.model_validate(state["request"])
    question = Question(
        node="continue_thought",
        prompt="linear/continue",
        variables={
            "content": request.content,
            "history": state["history"],
            "memories": state["memories"],
            "doubt": _doubt(attempts, request.confidence),
        },
        pipe=MODE,
        n=len(attempts),
        thread=state["session"]["id"],
    )
    reply = await ask(runtime.context, question)
    return {"attempts": [*attempts, _attempt(reply)], "notes": _notes(reply)}


def _doubt(attempts: list[dict[str, Any]], wanted: float | None) -> str:
    return DOUBT.format(**attempts[-1], wanted=wanted) if attempts else ""


def _attempt(reply: Reply) -> dict[str, Any]:
    """Return a reply as a thought; one that is not JSON is a thought all the same."""
    if reply.parsed is None:
        return {"content": reply.text, "confidence": DEFAULT_CONFIDENCE, "model": reply.model}
    return {
        "content": reply.parsed["thought"],
        "confidence": reply.parsed["confidence"],
        "model": reply.model,
    }


def _notes(reply: Reply) -> list[str]:
    notes = []
    if reply.truncated:
        notes.append("the language model's answer was cut at its length limit")
    if reply.parsed is None:
        notes.append(
            f"the answer was not the JSON asked for; its confidence is the default "
            f"{DEFAULT_CONFIDENCE}"
        )
    return notes


def is_sure_enough(state: LinearState) -> bool:
    """Tell whether the last attempt reaches the confidence asked for, or was the last allowed."""
    wanted = state["request"].get("confidence")
    attempts = state["attempts"]
    return wanted is None or attempts[-1]["confidence"] >= wanted or len(attempts) >= MOST_ATTEMPTS


async def keep_thought(state: LinearState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the best attempt in its session and in memory, and answer with it."""
    execution = runtime.context
    request = ReasoningLinear.model_validate(state["request"])
    best = max(state["attempts"], key=lambda attempt: attempt["confidence"])
    session, previous = UUID(state["session"]["id"]), state["session"]["previous"]
    thought = NewThought(
        id=execution.run.effect("thought"),
        session_id=session,
        parent_id=UUID(previous) if previous else None,
        mode=MODE,
        input=request.content,
        content=best["content"],
        confidence=best["confidence"],
        llm=execution.loom.llm.name,
        run_id=execution.run.id,
    )
    used = [memory["id"] for memory in state["memories"]]
    memory, notes = await keep_as_memory(execution, thought)
    async with execution.loom.database.begin(execution.caller) as tx:
        await sessions.open_session(tx, session, mode=MODE, client=execution.caller.client)
        if request.session_id:
            await sessions.touch(tx, session)  # locks it: one thought after another
        await thoughts.store(tx, thought)
        if memory:
            await memory.store(tx, used)
        answer = _answer(execution, thought, used, request.confidence)
        all_notes = [*state.get("notes", []), *notes]
        added = await finish(tx, execution, answer, notes=all_notes, session_id=session)
    return {**added, "notes": notes}


def _answer(
    execution: Execution, thought: NewThought, used: list[int], wanted: float | None
) -> LinearThought:
    extra: dict[str, Any] = {}
    if wanted is not None and thought.confidence < wanted:
        extra["below_threshold"] = True
    if execution.loom.llm.offline:
        extra["suggestion"] = (
            "No language model is configured: this is an extract of what is known. Set "
            "REASONLOOM_LLM, for example litellm:openai/gpt-5; `reasonloom doctor` shows how."
        )
    return LinearThought(
        thought_id=str(thought.id),
        session_id=str(thought.session_id),
        content=thought.content,
        confidence=thought.confidence,
        previous_thought=str(thought.parent_id) if thought.parent_id else None,
        llm=thought.llm,
        run_id=str(thought.run_id),
        memories_used=[f"mem-{number}" for number in used],
        **extra,
    )
