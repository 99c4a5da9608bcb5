"""Answers `session_end`: sums the session up, then ends it and stores its episode, all or nothing.

Whether there is anything to sum up is decided twice: before, to know whom to ask, and while the
owner's row is held, for somebody else may have ended the session meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.sessions import SessionEnd, SessionEnded
from reasonloom.errors import SessionNotFound
from reasonloom.nodes.graph_memory.persistence import (
    NodeDraft,
    PreparedNode,
    persist_node,
    prepare_node,
)
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes, memory_sessions, session_nodes
from reasonloom.stores.graph_memory.memory_sessions import NumberedSession
from reasonloom.stores.graph_memory.session_nodes import ORIGIN
from reasonloom.stores.memory import memories
from reasonloom.text.extraction import central_sentences

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.memory_sessions import SessionCourse
    from reasonloom.stores.graph_memory.session_nodes import Entry


CALLER, LLM, EXTRACT = "caller", "llm", "extract"
ORDER = (
    ("decision",),
    ("correction", "fact"),
    ("inference", "skill"),
    ("episode", "user"),
    ("agent",),
)
"""The kinds in the order in which a summary tells them: what was decided comes first."""

MOST_OF_KIND = 60
"""Nodes of one kind that are read, the newest."""

EXTRACT_LIMIT, MOST_SENTENCES = 1_200, 6
"""Characters of an extract, and sentences that one group of kinds gives to it."""

LONGEST_NOTE, MOST_READ = 1_500, 30_000
"""Characters of one node, and of all together, that the language model reads."""

LONGEST_SUMMARY = 4_000
"""Characters of what a language model wrote that are kept."""

CALLER_CONFIDENCE = 0.9
OFFLINE = (
    "no language model is configured: the summary is an extract, sentences of the session as they "
    "were written; give summary, or set REASONLOOM_LLM, for a better one"
)
INSTEAD = "the summary is an extract, sentences of the session as they were written"
PARTLY = "the summary was made from {read} of the session's {nodes} nodes, of each kind the newest"
CUT = "the summary was cut to {limit} characters"


@dataclass(frozen=True, slots=True)
class Episode:
    """What a session comes to; `made_by` is caller, llm or extract."""

    content: str
    confidence: float
    made_by: str
    notes: list[str] = field(default_factory=list)

    def wire(self) -> dict[str, Any]:
        """Return it as a saved step holds it."""
        return asdict(self)


async def summarize_session(execution: Execution, entries: Sequence[Entry], nodes: int) -> Episode:
    """Return what a session of `nodes` nodes comes to, from the `entries` that were read of it."""
    if execution.loom.llm.offline:
        return _extract_episode(entries, nodes, [OFFLINE])
    told = _render_entries(entries)
    question = Question(
        node="sum_up_session", prompt="sessions/episode", variables={"notes": told}, pipe="linear"
    )
    heard = await ask_or_note(execution, question, "the summary")
    if heard.fault or not (heard.parsed or heard.text.strip()):
        return _extract_episode(entries, nodes, [*heard.notes, INSTEAD])
    said = heard.parsed or {"summary": heard.text, "confidence": _confidence(entries)}
    summary = said["summary"][:LONGEST_SUMMARY]
    cut = [CUT.format(limit=LONGEST_SUMMARY)] if len(said["summary"]) > LONGEST_SUMMARY else []
    notes = [*heard.notes, *cut, *_partly(len(told), nodes)]
    return Episode(summary, said["confidence"], LLM, notes)


def _render_entries(entries: Sequence[Entry]) -> list[dict[str, str]]:
    """Return what the language model reads, in its order; what matters most where it is much."""
    left, chosen = MOST_READ, set()
    for kinds in ORDER:
        for entry in reversed([each for each in entries if each.kind in kinds]):
            length = min(len(entry.content), LONGEST_NOTE)
            if length <= left:
                chosen.add(entry.id)
                left -= length
    return [
        {"kind": entry.kind, "content": entry.content[:LONGEST_NOTE]}
        for entry in entries
        if entry.id in chosen
    ]


def _extract_episode(entries: Sequence[Entry], nodes: int, notes: list[str]) -> Episode:
    content = "\n".join(extract_sentences(entries)) or entries[-1].content[:EXTRACT_LIMIT]
    return Episode(content, _confidence(entries), EXTRACT, [*notes, *_partly(len(entries), nodes)])


def extract_sentences(entries: Sequence[Entry]) -> list[str]:
    """Return sentences of a session as they were written, decisions first, each once.

    Each group of kinds may take half of the room that is left, the last one all of it.
    """
    groups = [[each for each in entries if each.kind in kinds] for kinds in ORDER]
    filled = [group for group in groups if group]
    taken: dict[str, None] = {}
    left = EXTRACT_LIMIT
    for place, group in enumerate(filled, 1):
        room = left if place == len(filled) else left // 2
        for sentence in central_sentences(group, limit=room, most=MOST_SENTENCES):
            if sentence not in taken:
                taken[sentence] = None
                left -= len(sentence) + 1
    return list(taken)


def _confidence(entries: Sequence[Entry]) -> float:
    return round(sum(each.confidence for each in entries) / len(entries), 4)


def _partly(read: int, nodes: int) -> list[str]:
    return [PARTLY.format(read=read, nodes=nodes)] if read < nodes else []


NONE_OPEN = "none is open here; session_start begins one, and so does the first thing stored"
EMPTY = "session {number} holds nothing to sum up: it has ended without an episode"
SAME = "session {number} was summed up before and has nothing new: node {episode} is its episode"
NOT_KEPT = "the summary was not stored; memory_correct changes an episode"
UNUSED = "the summary was not stored: create_episode is false"
SINCE = "stored while the session was summed up, and not in the summary: {count} of its nodes"
AGAIN = "the episode supersedes node {old}, which summed up the session before it went on"
SOME = "the {joined} newest of the session's {nodes} nodes are joined to the episode"


class EndState(ToolState, total=False):
    """The session that is to end, and what it comes to; None where there is nothing to say."""

    ending: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SessionProgress:
    """How a session stands: its nodes, those newer than its episode, the episode of today."""

    course: SessionCourse
    nodes: int
    since: int
    episode: int | None

    def wants_episode(self, request: SessionEnd) -> bool:
        """Tell whether an episode is to be made: asked for, and there is something new to say."""
        if not request.create_episode or (self.episode and not self.since):
            return False
        return self.nodes > 0 or request.summary is not None


async def sum_up_session(state: EndState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the session and sum it up, asking nobody where the caller has done so."""
    execution = runtime.context
    request = SessionEnd.model_validate(state["request"])
    entries: list[session_nodes.Entry] = []
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        session = await _find_session(tx, execution, request.session_id)
        standing = await _session_progress(tx, session)
        wanted = standing.wants_episode(request)
        if wanted and request.summary is None:
            entries = await session_nodes.entries(tx, session, MOST_OF_KIND)
    episode = None
    if wanted and request.summary is not None:
        episode = Episode(request.summary, CALLER_CONFIDENCE, CALLER)
    elif entries:
        episode = await summarize_session(execution, entries, standing.nodes)
    return {
        "ending": {
            "session": str(session),
            "number": standing.course.number,
            "nodes": standing.nodes,
            "episode": episode.wire() if episode else None,
        }
    }


async def end_session(state: EndState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """End the session, store its episode, and join its nodes to it."""
    execution = runtime.context
    request = SessionEnd.model_validate(state["request"])
    ending, session = state["ending"], UUID(state["ending"]["session"])
    episode = Episode(**ending["episode"]) if ending["episode"] else None
    made = await prepare_node(execution, _draft(episode, ending["number"])) if episode else None
    async with execution.loom.database.begin(execution.caller) as tx:
        await memory_sessions.hold(tx)
        standing = await _session_progress(tx, session)
        notes = _request_notes(request, standing)
        new = None
        if episode and made and standing.wants_episode(request):
            new, said = await _store_episode(tx, execution, standing, made)
            late = standing.nodes - ending["nodes"]
            late_note = [SINCE.format(count=late)] if late > 0 else []
            notes = [*episode.notes, *made.notes, *said, *late_note]
        await memory_sessions.end(tx, session, execution.loom.clock(), new)
        answer = await _answer(tx, standing, new, episode)
        return await complete_run(tx, execution, answer, notes=notes, session_id=session)


async def _find_session(tx: Transaction, execution: Execution, number: int | None) -> UUID:
    """Return the session that is to end.

    Raises:
        SessionNotFound: no session has this number; without one, this client began none.
    """
    if number is not None:
        return (await memory_sessions.of_number(tx, number)).id
    last = await memory_sessions.last(tx, execution.caller)
    if last is None:
        raise SessionNotFound(NONE_OPEN, field="session_id")
    return last.id


async def _session_progress(tx: Transaction, session: UUID) -> SessionProgress:
    course = await memory_sessions.of_id(tx, session)
    head = await memory_sessions.head(tx, course.episode_id)
    nodes, since = await session_nodes.count(
        tx, session, episode=course.episode_id if head else None, head=head
    )
    return SessionProgress(course, nodes, since, head)


def _draft(episode: Episode, number: int) -> NodeDraft:
    by_caller = episode.made_by == CALLER
    return NodeDraft(
        episode.content,
        "episode",
        episode.confidence,
        "episode",
        field="summary",
        context=f"session {number}",
        category=memory_nodes.EXTRACT if episode.made_by == EXTRACT else memory_nodes.SUMMARY,
        source_kind="user" if by_caller else "tool",
        merges=False,
    )


async def _store_episode(
    tx: Transaction, execution: Execution, standing: SessionProgress, made: PreparedNode
) -> tuple[int, list[str]]:
    """Store the episode at the end of the session's chain; return its number and what to say."""
    course, run_id = standing.course, execution.run.id
    kept = await persist_node(tx, execution, made, NumberedSession(course.id, course.number))
    joined = await session_nodes.join(tx, course.id, kept.node_id, run_id=run_id)
    notes = []
    if joined < standing.nodes:
        notes.append(SOME.format(joined=joined, nodes=standing.nodes))
    if standing.episode:
        await memories.link(
            tx, kept.node_id, {standing.episode: 1.0}, kind="supersedes", origin=ORIGIN,
            run_id=run_id,
        )  # fmt: skip
        notes.append(AGAIN.format(old=standing.episode))
    return kept.node_id, notes


def _request_notes(request: SessionEnd, standing: SessionProgress) -> list[str]:
    """Return what to say of a session that ends without a new episode."""
    number = standing.course.number
    if not request.create_episode:
        return [UNUSED] if request.summary is not None else []
    if standing.episode:
        kept = [NOT_KEPT] if request.summary is not None else []
        return [SAME.format(number=number, episode=standing.episode), *kept]
    return [EMPTY.format(number=number)]


async def _answer(
    tx: Transaction, standing: SessionProgress, new: int | None, episode: Episode | None
) -> SessionEnded:
    shown = new or standing.episode
    rows = await memory_nodes.fetch(tx, [shown]) if shown else []
    return SessionEnded(
        session_id=standing.course.number,
        episode_id=shown,
        summary=rows[0].content if rows else None,
        summarised_by=episode.made_by if new and episode else None,
        node_count=standing.nodes,
    )
