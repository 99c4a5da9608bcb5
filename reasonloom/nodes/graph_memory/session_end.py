"""The `session_end` tool: summarises a session, then ends it and stores its episode atomically.

Whether there is anything to summarise is decided twice: first to know whether to call the language
model, and again with the owner row locked, because another client may have ended the session.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.sessions import SessionEnd, SessionEnded
from reasonloom.errors import SessionNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.persistence import (
    NodeDraft,
    PreparedNode,
    persist_node,
    prepare_node,
)
from reasonloom.nodes.graph_memory.session_reasoning import (
    LONGEST_READ,
    list_reasoning,
    render_reasoning,
)
from reasonloom.nodes.graph_memory.session_reasoning import (
    MOST_READ as MOST_REASONING,
)
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import (
    memory_nodes,
    memory_sessions,
    session_nodes,
    session_reasoning,
)
from reasonloom.stores.graph_memory.memory_sessions import NumberedSession, SessionCourse
from reasonloom.stores.graph_memory.session_nodes import ORIGIN, Entry
from reasonloom.stores.graph_memory.session_reasoning import Reasoning
from reasonloom.stores.memory import memories
from reasonloom.text.extraction import central_sentences

CALLER, LLM, EXTRACT = "caller", "llm", "extract"
ORDER = (
    ("decision",),
    ("correction", "fact"),
    ("inference", "skill"),
    ("episode", "user"),
    ("agent",),
)
"""Groups of entry kinds in the order of a summary: decisions come first."""

MOST_OF_KIND = 60
"""Maximum nodes read of each kind, newest first."""

EXTRACT_LIMIT, MOST_SENTENCES = 1_200, 6
"""Characters of an extract, and maximum sentences from one group of kinds."""

REASONING_SHARE = 0.5
"""Maximum share of an extract for the session's reasoning if there are nodes too."""

LONGEST_NOTE, MOST_READ = 1_500, 30_000
"""Characters of one node, and of all nodes, in the prompt."""

LONGEST_SUMMARY = 4_000
"""Maximum characters of a language model's summary."""

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
    """The summary of a session; `made_by` is caller, llm or extract."""

    content: str
    confidence: float
    made_by: str
    notes: list[str] = field(default_factory=list)


async def summarize_session(
    execution: Execution, entries: Sequence[Entry], nodes: int, reasoning: Reasoning
) -> Episode:
    """Return the summary of a session of `nodes` nodes, of which `entries` were read."""
    if execution.loom.llm.offline:
        return _extract_episode(entries, nodes, reasoning, [OFFLINE])
    rendered = _render_entries(entries)
    question = Question(
        node="sum_up_session",
        prompt="sessions/episode",
        variables={"notes": rendered, "reasoning": render_reasoning(reasoning)},
        pipe="linear",
    )
    heard = await ask_or_note(execution, question, "the summary")
    if heard.fault or not (heard.parsed or heard.text.strip()):
        return _extract_episode(entries, nodes, reasoning, [*heard.notes, INSTEAD])
    reply = heard.parsed or {"summary": heard.text, "confidence": _confidence(entries, reasoning)}
    summary = reply["summary"][:LONGEST_SUMMARY]
    cut = [CUT.format(limit=LONGEST_SUMMARY)] if len(reply["summary"]) > LONGEST_SUMMARY else []
    notes = [*heard.notes, *cut, *_partly(len(rendered), nodes)]
    return Episode(summary, reply["confidence"], LLM, notes)


def _render_entries(entries: Sequence[Entry]) -> list[dict[str, str]]:
    """Return the entries for the prompt, in order; only the most important if there are many."""
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


def _extract_episode(
    entries: Sequence[Entry], nodes: int, reasoning: Reasoning, notes: list[str]
) -> Episode:
    share = REASONING_SHARE if entries else 1.0
    reasoned = list_reasoning(reasoning, int(EXTRACT_LIMIT * share))
    left = EXTRACT_LIMIT - sum(len(line) + 1 for line in reasoned)
    stated = extract_sentences(entries, left) or [each.content[:left] for each in entries[-1:]]
    return Episode(
        "\n".join([*stated, *reasoned]),
        _confidence(entries, reasoning),
        EXTRACT,
        [*notes, *_partly(len(entries), nodes)],
    )


def extract_sentences(entries: Sequence[Entry], left: int) -> list[str]:
    """Return distinct sentences of a session within `left` characters, decisions first.

    Each group of kinds may take half of the remaining room, the last one all of it.
    """
    groups = [[each for each in entries if each.kind in kinds] for kinds in ORDER]
    filled = [group for group in groups if group]
    taken: dict[str, None] = {}
    for place, group in enumerate(filled, 1):
        room = left if place == len(filled) else left // 2
        for sentence in central_sentences(group, limit=room, most=MOST_SENTENCES):
            if sentence not in taken:
                taken[sentence] = None
                left -= len(sentence) + 1
    return list(taken)


def _confidence(entries: Sequence[Entry], reasoning: Reasoning) -> float:
    sure = [each.confidence for each in entries]
    sure += [each.confidence for each in reasoning.conclusions]
    return round(fmean(sure or [0.0]), 4)


def _partly(read: int, nodes: int) -> list[str]:
    return [PARTLY.format(read=read, nodes=nodes)] if read < nodes else []


NONE_OPEN = "none is open here; session_start begins one, and so does the first thing stored"
EMPTY = "session {number} has nothing to summarise: it ended without an episode"
SAME = "session {number} was summed up before and has nothing new: node {episode} is its episode"
NOT_KEPT = "the summary was not stored; memory_correct changes an episode"
UNUSED = "the summary was not stored: create_episode is false"
SINCE = "stored while the session was summed up, and not in the summary: {count} of its nodes"
CONCLUDED_SINCE = "some reasoning ended while the session was summed up, and is not in the summary"
AGAIN = "the episode supersedes node {old}, which summed up the session before it went on"
SOME = "the {joined} newest of the session's {nodes} nodes are linked to the episode"


class EndState(ToolState, total=False):
    """State of ending a session.

    `ending` has the session and its episode, None if there is nothing to summarise; its `memories`
    are the ids of the memories that the session's reasoning is based on.
    """

    ending: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SessionProgress:
    """The state of a session.

    Attributes:
        course: the session's row.
        nodes: number of its nodes.
        since: number of nodes added since its episode.
        episode: id of its current episode, if any.
        reasoning: its conclusions and rejected branches.
        reasoned: whether some of the reasoning is newer than the episode.
    """

    course: SessionCourse
    nodes: int
    since: int
    episode: int | None
    reasoning: Reasoning
    reasoned: bool

    def wants_episode(self, request: SessionEnd) -> bool:
        """Return whether to create an episode: it is requested, and there is something new."""
        if not request.create_episode or (self.episode and not self.since and not self.reasoned):
            return False
        return self.nodes > 0 or self.reasoned or request.summary is not None


async def sum_up_session(state: EndState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the session and summarise it, unless the caller gave a summary."""
    execution = runtime.context
    request = execution.request(SessionEnd)
    entries: list[session_nodes.Entry] = []
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        session = await _find_session(tx, execution, request.session_id)
        progress = await _session_progress(tx, session)
        wanted = progress.wants_episode(request)
        if wanted and request.summary is None:
            tx.end_with_next()
            entries = await session_nodes.entries(tx, session, MOST_OF_KIND)
    episode = None
    if wanted and request.summary is not None:
        episode = Episode(request.summary, CALLER_CONFIDENCE, CALLER)
    elif wanted:
        episode = await summarize_session(execution, entries, progress.nodes, progress.reasoning)
    return {
        "ending": {
            "session": str(session),
            "number": progress.course.number,
            "nodes": progress.nodes,
            "episode": asdict(episode) if episode else None,
            "memories": [{"id": each} for each in progress.reasoning.memories],
            "reasoned": _moment(progress.reasoning),
        }
    }


async def end_session(state: EndState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """End the session, store its episode, and link its nodes to it."""
    execution = runtime.context
    request = execution.request(SessionEnd)
    ending, session = state["ending"], UUID(state["ending"]["session"])
    episode = Episode(**ending["episode"]) if ending["episode"] else None
    made = await prepare_node(execution, _draft(episode, ending["number"])) if episode else None
    async with execution.loom.database.begin(execution.caller) as tx:
        await memory_sessions.hold(tx)
        progress = await _session_progress(tx, session)
        notes = _notes_without_episode(request, progress)
        new = None
        if episode and made and progress.wants_episode(request):
            new, stored = await _store_episode(tx, execution, progress, made)
            late = progress.nodes - ending["nodes"]
            late_note = [SINCE.format(count=late)] if late > 0 else []
            if _moment(progress.reasoning) != ending.get("reasoned"):
                late_note.append(CONCLUDED_SINCE)
            notes = [*episode.notes, *made.notes, *stored, *late_note]
        await memory_sessions.end(tx, session, execution.loom.clock(), new)
        current = new or progress.episode
        rows = await memory_nodes.fetch(tx, [current]) if current else []
        answer = SessionEnded(
            session_id=progress.course.number,
            episode_id=current,
            summary=rows[0].content if rows else None,
            summarised_by=episode.made_by if new and episode else None,
            node_count=progress.nodes,
        )
        memories = ending.get("memories", [])
        return await complete_run(
            tx, execution, answer, notes=notes, session_id=session, memories=memories
        )


async def _find_session(tx: Transaction, execution: Execution, number: int | None) -> UUID:
    """Return the session to end.

    Raises:
        SessionNotFound: no session has this number; or, without a number, this client has none.
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
    reasoning = await session_reasoning.read(tx, session, most=MOST_REASONING, longest=LONGEST_READ)
    newest = reasoning.newest
    reasoned = newest is not None
    if newest and course.episode_id and head:
        (summed_up,) = await memory_nodes.fetch(tx, [course.episode_id])
        reasoned = newest > summed_up.created_at
    return SessionProgress(course, nodes, since, head, reasoning, reasoned)


def _moment(reasoning: Reasoning) -> str | None:
    return reasoning.newest.isoformat() if reasoning.newest else None


def _draft(episode: Episode, number: int) -> NodeDraft:
    return NodeDraft(
        episode.content,
        "episode",
        episode.confidence,
        "episode",
        field="summary",
        context=f"session {number}",
        category=memory_nodes.EXTRACT if episode.made_by == EXTRACT else memory_nodes.SUMMARY,
        source_kind="user" if episode.made_by == CALLER else "tool",
        merges=False,
    )


async def _store_episode(
    tx: Transaction, execution: Execution, progress: SessionProgress, made: PreparedNode
) -> tuple[int, list[str]]:
    """Append the episode to the session's chain and link its nodes; return its id and notes."""
    course, run_id = progress.course, execution.run.id
    session = NumberedSession(course.id, course.number)
    new = (await persist_node(tx, execution, made, session)).node_id
    joined = await session_nodes.join(tx, course.id, new, run_id=run_id)
    notes = []
    if joined < progress.nodes:
        notes.append(SOME.format(joined=joined, nodes=progress.nodes))
    if old := progress.episode:
        await memories.link(tx, new, {old: 1.0}, kind="supersedes", origin=ORIGIN, run_id=run_id)
        notes.append(AGAIN.format(old=old))
    return new, notes


def _notes_without_episode(request: SessionEnd, progress: SessionProgress) -> list[str]:
    number = progress.course.number
    if not request.create_episode:
        return [UNUSED] if request.summary is not None else []
    if progress.episode:
        unused = [NOT_KEPT] if request.summary is not None else []
        return [SAME.format(number=number, episode=progress.episode), *unused]
    return [EMPTY.format(number=number)]
