"""Attempts at a thought: a second one if the first is too unsure; the most confident is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.offline import OPEN_QUESTION, open_thought, quotes_on, remark
from reasonloom.nodes.reasoning.context import (
    recall_for as recall_for,  # noqa: PLC0414 - docs of 0.1 import it from here
)
from reasonloom.nodes.reasoning.lookup import ask_informed
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.text.sentences import join_sentences, sentences_in

if TYPE_CHECKING:
    from reasonloom.llm.interfaces import Reply
    from reasonloom.nodes.execution import Execution

MOST_ATTEMPTS = 2
NEXT_STEP = "What is the next step?"
DOUBT = (
    "A first attempt came out with confidence {confidence:.2f}, below the {wanted:.2f} asked "
    "for: {content}"
)


async def next_attempt(
    execution: Execution,
    state: Mapping[str, Any],
    question: Question,
    content: str,
    wanted: float | None,
) -> dict[str, Any]:
    """Ask for a thought, or for a better one than those in `state`; return what that adds to it.

    `question` gives the node and the prompt; the prompt's variables come from `state`.
    """
    attempts = state.get("attempts", [])
    variables = {
        "content": content,
        "history": state["history"],
        "memories": state["memories"],
        "doubt": render_doubt(attempts, wanted),
    }
    question = replace(question, variables=variables, n=len(attempts))
    informed = await ask_informed(execution, question, partial(ask, execution))
    if execution.loom.llm.offline:  # what was to be asked is recorded, so that a fork can ask it
        thought = open_thought(NEXT_STEP, content, quotes_on(content, state["memories"]))
        return {"attempts": [thought] * MOST_ATTEMPTS}
    notes = [*reply_notes(informed.reply), *informed.notes]
    return {"attempts": [*attempts, attempt(informed.reply)], "notes": notes, **informed.added}


def render_doubt(attempts: list[dict[str, Any]], wanted: float | None) -> str:
    """Return what the next attempt's prompt says of the one before; empty for the first."""
    return DOUBT.format(**attempts[-1], wanted=wanted) if attempts else ""


def attempt(reply: Reply) -> dict[str, Any]:
    """Return a reply as a thought, even if it is not JSON."""
    if reply.parsed is None:
        return {"content": reply.text, "confidence": DEFAULT_CONFIDENCE, "model": reply.model}
    return {
        "content": reply.parsed["thought"],
        "confidence": reply.parsed["confidence"],
        "model": reply.model,
    }


def reply_notes(reply: Reply) -> list[str]:
    """Return the notes on a reply: truncated, or not the requested JSON."""
    notes = []
    if reply.truncated:
        notes.append("the language model's answer was cut at its length limit")
    if reply.parsed is None or reply.off_schema:
        note = "the answer was not the JSON asked for"
        note += ": its text was read out of it" if reply.off_schema else ""
        default = f"; its confidence is the default {DEFAULT_CONFIDENCE}"
        notes.append(note if reply.parsed is not None else note + default)
    return notes


def is_enough(attempts: list[dict[str, Any]], wanted: float | None) -> bool:
    """Tell whether the last attempt is confident enough, or was the last allowed."""
    return wanted is None or attempts[-1]["confidence"] >= wanted or len(attempts) >= MOST_ATTEMPTS


def most_confident(attempts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the most confident attempt, the first among equals."""
    return max(attempts, key=lambda each: each["confidence"])


def first_sentences(texts: Iterable[tuple[str, str]], most: int) -> str:
    """Return the first sentences of each text after its label, none repeated."""
    seen: dict[str, None] = {}
    parts = []
    for label, text in texts:
        fresh = [each for each in sentences_in(text)[:most] if each not in seen]
        seen.update(dict.fromkeys(fresh))
        parts += [f"{label}: {join_sentences(fresh)}"] if fresh else []
    return " ".join(parts)


def caveats(
    execution: Execution, confidence: float = 1.0, wanted: float | None = None
) -> dict[str, Any]:
    """Return the answer's keys for a thought that is too unsure, or that nobody has thought."""
    extra: dict[str, Any] = {}
    if wanted is not None and confidence < wanted:
        extra["below_threshold"] = True
    if execution.loom.llm.offline:
        extra["kind"] = OPEN_QUESTION
    return extra | remark(execution)
