"""Thought attempts: retry once if confidence is too low, then use the most confident attempt."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from reasonloom.llm.interfaces import Reply
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import OPEN_QUESTION, open_thought, quotes_on, remark
from reasonloom.nodes.reasoning.context import (
    recall_for as recall_for,  # noqa: PLC0414 - docs of 0.1 import it from here
)
from reasonloom.nodes.reasoning.lookup import ask_informed
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.text.sentences import join_sentences, sentences_in

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
    """Generate the next thought, or retry one that was too unsure; return the state update.

    `question` provides the node and the prompt; the prompt variables are built from `state`.
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
    if execution.loom.llm.offline:  # the question was recorded above, so a fork can answer it
        thought = open_thought(NEXT_STEP, content, quotes_on(content, state["memories"]))
        return {"attempts": [thought] * MOST_ATTEMPTS}
    notes = [*reply_notes(informed.reply), *informed.notes]
    return {"attempts": [*attempts, attempt(informed.reply)], "notes": notes, **informed.added}


def render_doubt(attempts: list[dict[str, Any]], wanted: float | None) -> str:
    """Return the prompt text about the previous attempt; empty for the first attempt."""
    return DOUBT.format(**attempts[-1], wanted=wanted) if attempts else ""


def attempt(reply: Reply) -> dict[str, Any]:
    """Convert a reply to a thought, even if it is not JSON."""
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
        note = "the answer was not the requested JSON"
        note += ": its text was read out of it" if reply.off_schema else ""
        default = f"; its confidence is the default {DEFAULT_CONFIDENCE}"
        notes.append(note if reply.parsed is not None else note + default)
    return notes


def is_enough(attempts: list[dict[str, Any]], wanted: float | None) -> bool:
    """Return whether the last attempt is confident enough or was the last one allowed."""
    return wanted is None or attempts[-1]["confidence"] >= wanted or len(attempts) >= MOST_ATTEMPTS


def most_confident(attempts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the most confident attempt; ties go to the first."""
    return max(attempts, key=lambda each: each["confidence"])


def first_sentences(texts: Iterable[tuple[str, str]], most: int) -> str:
    """Return up to `most` leading sentences of each text after its label, without duplicates."""
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
    """Return the optional answer keys for a thought below the threshold or from an offline run."""
    extra: dict[str, Any] = {}
    if wanted is not None and confidence < wanted:
        extra["below_threshold"] = True
    if execution.loom.llm.offline:
        extra["kind"] = OPEN_QUESTION
    return extra | remark(execution)
