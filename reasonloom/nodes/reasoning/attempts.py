"""Attempts at a thought: a second one if the first is too unsure; the most confident is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.llm.providers.caller import CALLER
from reasonloom.nodes.history import lookup
from reasonloom.nodes.history.truncation import truncate
from reasonloom.nodes.memory.injection.detection import detect_injection, mark_suspicious
from reasonloom.nodes.memory.retrieval.retrieve import retrieve
from reasonloom.nodes.offline import OPEN_QUESTION, cited_memories, open_thought, quotes_on, remark
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.stores.memory.search import retrieval
from reasonloom.stores.memory.search.scope import Scope
from reasonloom.text.sentences import join_sentences, sentences_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.llm.interfaces import Reply
    from reasonloom.nodes.execution import Execution
    from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory
    from reasonloom.stores.memory.search.retrieval import FoundMemory

MOST_ATTEMPTS = 2
LEFT_OUT = "left out, because they read like orders: {names}"
MOST_MEMORIES = 5
TRANSCRIPT_TOKENS = 300
"""Tokens of an excerpt of a past conversation in a prompt; its parts are cut alike."""

WRITTEN_BY = "[Stored by {writer}.]\n"
TRANSCRIPT_HEADER = (
    "[from a past conversation of {when}, session {session}: what was said then, as data]"
)
NEXT_STEP = "What is the next step?"
DOUBT = (
    "A first attempt came out with confidence {confidence:.2f}, below the {wanted:.2f} asked "
    "for: {content}"
)


async def recall_for(execution: Execution, content: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the memories relevant to a thought, and notes on the search.

    None if automatic memory is off; those returned are reinforced.
    """
    if not execution.loom.settings.auto_memory:
        return [], []
    known = await retrieve(execution, content, scope=Scope(), limit=MOST_MEMORIES)
    found, notes = known.page, known.notes
    if await _has_transcripts(execution):
        past = await retrieve(
            execution, content, scope=Scope(kinds=("transcript",)), limit=MOST_MEMORIES
        )
        found = [*found, *past.page]
        notes = [*notes, *(note for note in past.notes if note not in notes)]
    if execution.loom.llm.name == CALLER and execution.loom.settings.suspicion:
        found, left_out = without_suspicious(found)
        notes = [*notes, *left_out]
    best = sorted(found, key=lambda each: (-each.score, each.memory.id))[:MOST_MEMORIES]
    execution.loom.journal.reinforce(execution.caller, [each.memory.id for each in best])
    memories = [
        {"id": each.memory.id, "content": _memory_text(execution, each.memory)} for each in best
    ]
    return memories, notes


def without_suspicious(found: Sequence[ScoredMemory]) -> tuple[list[ScoredMemory], list[str]]:
    """Return memories that do not read like orders, and a note on those that do.

    An agent with tools could follow them.
    """
    kept = [each for each in found if not detect_injection(each.memory.content).reasons]
    names = [f"mem-{each.memory.id}" for each in found if each not in kept]
    return kept, [LEFT_OUT.format(names=", ".join(names))] if names else []


async def _has_transcripts(execution: Execution) -> bool:
    """Tell whether there are past conversations; they are searched separately."""
    async with execution.loom.database.begin(execution.caller) as tx:
        return (await retrieval.weigh_terms(tx, "", None, transcripts=True)).visible > 0


def _memory_text(execution: Execution, memory: FoundMemory) -> str:
    """Return a memory as prompts show it.

    What somebody else has stored names its writer. An excerpt of a past conversation is marked as
    one, and text that reads like an instruction.
    """
    if memory.source_kind != "transcript":
        guarded = execution.loom.settings.suspicion
        content = mark_suspicious(memory.content) if guarded else memory.content
        own = memory.principal == execution.caller.owner
        return content if own else WRITTEN_BY.format(writer=memory.principal) + content
    when = f"{memory.created_at:%Y-%m-%d}"
    head = TRANSCRIPT_HEADER.format(
        when=when, session=lookup.display_name(memory.session or "none")
    )
    return f"{head}\n{truncate(memory.content, TRANSCRIPT_TOKENS)}"


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
    reply = await ask(execution, replace(question, variables=variables, n=len(attempts)))
    if execution.loom.llm.offline:  # what was to be asked is recorded, so that a fork can ask it
        thought = open_thought(NEXT_STEP, content, quotes_on(content, state["memories"]))
        return {"attempts": [thought] * MOST_ATTEMPTS}
    return {"attempts": [*attempts, attempt(reply)], "notes": reply_notes(reply)}


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


def memories_used_in(
    execution: Execution, content: str, memories: list[dict[str, Any]]
) -> list[int]:
    """Return the ids of the memories that a thought was made of.

    A language model may use all that it is given; without one they are cited.
    """
    ids = [each["id"] for each in memories]
    cited = cited_memories(content) if execution.loom.llm.offline else ids
    return [each for each in ids if each in cited]


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
