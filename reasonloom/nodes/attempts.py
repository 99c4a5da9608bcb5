"""Attempts at a thought: asked once more where the first is too unsure, the surest is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reasonloom.nodes.ask import Question, ask
from reasonloom.nodes.find import find
from reasonloom.stores.search import Scope

if TYPE_CHECKING:
    from reasonloom.llm.port import Reply
    from reasonloom.nodes.loom import Execution

MOST_ATTEMPTS = 2
MOST_MEMORIES = 5
DEFAULT_CONFIDENCE = 0.8
"""What the reference gives a reply that is not the JSON it was asked for."""

RECALLED_KINDS = ("user", "tool", "transcript")
DOUBT = (
    "A first attempt came out with confidence {confidence:.2f}, below the {wanted:.2f} asked "
    "for: {content}"
)


async def recall_for(execution: Execution, content: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the memories that a thought calls for, and what to say of the search.

    None where automatic memory is off; those returned are strengthened.
    """
    if not execution.loom.settings.auto_memory:
        return [], []
    scope = Scope(kinds=RECALLED_KINDS)
    finding = await find(execution, content, scope=scope, limit=MOST_MEMORIES)
    best = [each.memory for each in finding.page]
    execution.loom.journal.reinforce(execution.caller, [memory.id for memory in best])
    return [{"id": memory.id, "content": memory.content} for memory in best], finding.notes


async def try_next(
    execution: Execution,
    state: Mapping[str, Any],
    question: Question,
    content: str,
    wanted: float | None,
) -> dict[str, Any]:
    """Ask for a thought, or for a better one than those in `state`; return what that adds to it.

    `question` says where it is asked and by which prompt; what it is told comes from `state`.
    """
    attempts = state.get("attempts", [])
    told = {
        "content": content,
        "history": state["history"],
        "memories": state["memories"],
        "doubt": doubt(attempts, wanted),
    }
    reply = await ask(execution, replace(question, variables=told, n=len(attempts)))
    return {"attempts": [*attempts, attempt(reply)], "notes": reply_notes(reply)}


def doubt(attempts: list[dict[str, Any]], wanted: float | None) -> str:
    """Return what the next attempt is told of the one before; nothing at the first."""
    return DOUBT.format(**attempts[-1], wanted=wanted) if attempts else ""


def attempt(reply: Reply) -> dict[str, Any]:
    """Return a reply as a thought; one that is not JSON is a thought all the same."""
    if reply.parsed is None:
        return {"content": reply.text, "confidence": DEFAULT_CONFIDENCE, "model": reply.model}
    return {
        "content": reply.parsed["thought"],
        "confidence": reply.parsed["confidence"],
        "model": reply.model,
    }


def reply_notes(reply: Reply) -> list[str]:
    """Return what must be said of a reply."""
    notes = []
    if reply.truncated:
        notes.append("the language model's answer was cut at its length limit")
    if reply.parsed is None:
        notes.append(
            f"the answer was not the JSON asked for; its confidence is the default "
            f"{DEFAULT_CONFIDENCE}"
        )
    return notes


def is_enough(attempts: list[dict[str, Any]], wanted: float | None) -> bool:
    """Tell whether the last attempt is sure enough, or was the last allowed."""
    return wanted is None or attempts[-1]["confidence"] >= wanted or len(attempts) >= MOST_ATTEMPTS


def surest(attempts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the surest attempt, the first among equals."""
    return max(attempts, key=lambda each: each["confidence"])


def marks(execution: Execution, confidence: float, wanted: float | None) -> dict[str, Any]:
    """Return what an answer says of a thought that is too unsure, or made without an llm."""
    extra: dict[str, Any] = {}
    if wanted is not None and confidence < wanted:
        extra["below_threshold"] = True
    if execution.loom.llm.offline:
        extra["suggestion"] = (
            "No language model is configured: this is an extract of what is known. Set "
            "REASONLOOM_LLM, for example litellm:openai/gpt-5; `reasonloom doctor` shows how."
        )
    return extra
