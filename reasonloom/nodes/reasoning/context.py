"""Select the memories that a reasoning step sees: relevant, deduplicated, within a token budget.

Candidates come from two searches: by the question and by the first problem of its session.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.llm.providers.caller import CALLER
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.history import projects
from reasonloom.nodes.history.truncation import truncate
from reasonloom.nodes.memory.injection.detection import detect_injection, mark_suspicious
from reasonloom.nodes.memory.retrieval.answerable import answerability
from reasonloom.nodes.memory.retrieval.retrieve import RetrievedPage, Search, retrieve_all
from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory
from reasonloom.nodes.sessions.context import extract_steps, session_context
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory.session_nodes import EPISODE_TOOL
from reasonloom.stores.memory.search import retrieval
from reasonloom.stores.memory.search.retrieval import FoundMemory
from reasonloom.stores.memory.search.scope import Scope
from reasonloom.text.tokens import BYTES_PER_TOKEN, estimate_tokens
from reasonloom.text.words import words_in

MOST_MEMORIES = 20
MOST_EXCERPTS = 5
"""Maximum number of conversation excerpts among the memories."""

MOST_LOOKED_UP = 8
"""Maximum number of memories that one look-up adds."""

LOOKUP_SHARE = 2
"""Divisor of the token budget: a look-up may use half of it."""

PER_SEARCH = 5
"""Results per search of a look-up."""

LONGEST_SEARCH = 300

CANDIDATES = 60
"""Candidates retrieved per search, from which the memories are selected."""

REINFORCED = 5
"""Top memories that count as read; which of them a thought will use is not known yet."""

LONGEST_SHARE = 4
"""Divisor of the token budget: one memory may use at most a quarter of it.

A longer memory is reduced to the sentences closest to the question.
"""

REPEATED = 0.5
"""Share of a session summary's words, found in that session's memories, that makes it redundant."""

TRANSCRIPT_TOKENS = 300
"""Maximum tokens of a conversation excerpt in a prompt."""

LABEL = re.compile(r"^\[M(\d+)")
CATEGORY = re.compile(r"\w[\w -]{0,23}")
"""A category usable as a fact's kind in its label: it cannot close the label or add a line."""

UNANSWERED = (
    "no stored memory answers this by itself, as far as the reader can tell (answerable "
    "{probability})"
)
LEFT_OUT = "left out, because they read like orders: {names}"
WRITTEN_BY = "[Stored by {writer}.]\n"
TRANSCRIPT_HEADER = (
    "[from a past conversation of {when}, session {session}: what was said then, as data]"
)


async def recall_for(
    execution: Execution, content: str, problem: str = "", *, but: str = ""
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the memories most relevant to a thought, best first, and notes on the search.

    Each memory has `id`, `content` and `label` (number, date and kind, as shown in prompts).
    `problem` is the first problem of the session. Memories identical to `but` are excluded. Returns
    nothing if automatic memory is off.
    """
    if not execution.loom.settings.auto_memory:
        return [], []
    texts = [content] if problem in ("", content) else [content, problem]
    pages = await _search(execution, texts, CANDIDATES)
    found, notes = _merged(pages)
    notes += _unanswered(content, pages[0])
    found = _others(found, but)
    if execution.loom.llm.name == CALLER and execution.loom.settings.suspicion:
        found, left_out = without_suspicious(found)
        notes = [*notes, *left_out]
    budget = execution.loom.settings.context_tokens
    chosen = _choose(execution, found, content, budget, MOST_MEMORIES)
    ids = [memory.id for memory in chosen.memories]
    execution.loom.journal.reinforce(execution.caller, ids[:REINFORCED])
    return chosen.rendered(), notes


def recall_node(
    kind: type[Any], place: str = "session", **begun: Any
) -> Callable[[ToolState, Runtime[Execution]], Awaitable[dict[str, Any]]]:
    """Return the first node of a mode: it loads the branch's history and the relevant memories.

    `kind` is the type of the mode's request. The place of the next step is stored under the key
    `place`; `begun` are further initial values of the state.
    """

    async def recall_context(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
        execution = runtime.context
        request = execution.request(kind)
        branch_id = getattr(request, "branch_id", None)
        found, history = await session_context(
            execution, request.session_id, request.content, branch_id=branch_id
        )
        memories, notes = await recall_for(execution, request.content, history.problem)
        return {
            place: found,
            "history": history.steps,
            "memories": memories,
            "notes": [*history.notes, *notes],
            **begun,
        }

    return recall_context


async def look_up(
    execution: Execution, searches: Sequence[str], known: Sequence[dict[str, Any]], but: str = ""
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the new memories that the model's searches find beyond those it knows, and notes.

    Labels are numbered after those of `known`. Memories identical to `but` are excluded.
    """
    if not execution.loom.settings.auto_memory:
        return [], []
    texts = _search_texts(searches)
    found, notes = _merged(await _search(execution, texts, PER_SEARCH))
    ids = {each["id"] for each in known}
    plain = [f" {' '.join(words_in(each['content']))} " for each in known]
    fresh = [
        each
        for each in _others(found, but)
        if each.memory.id not in ids
        and not each.memory.superseded_by
        and not any(f" {' '.join(words_in(each.memory.content))} " in other for other in plain)
    ]
    if execution.loom.llm.name == CALLER and execution.loom.settings.suspicion:
        fresh, left_out = without_suspicious(fresh)
        notes = [*notes, *left_out]
    budget = execution.loom.settings.context_tokens
    choice = _choose(execution, fresh, " ".join(texts), budget // LOOKUP_SHARE, MOST_LOOKED_UP)
    return merge_memories(list(known), choice.rendered())[len(known) :], notes


async def look_up_again(
    execution: Execution, searches: Sequence[str], labels: Mapping[int, str]
) -> list[dict[str, Any]]:
    """Return the memories that an earlier look-up found, under the labels they had then.

    `labels` maps memory ids to labels. Memories forgotten since are omitted, and their labels are
    not reassigned.
    """
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        found = await retrieval.fetch(tx, [*labels]) if labels else []
    memories = {each.id: each for each in found}
    question = " ".join(_search_texts(searches))
    longest = execution.loom.settings.context_tokens // LOOKUP_SHARE // LONGEST_SHARE
    return [
        {
            "id": number,
            "content": _memory_text(execution, memories[number], question, longest),
            "label": label,
        }
        for number, label in labels.items()
        if number in memories
    ]


def _search_texts(searches: Sequence[str]) -> list[str]:
    """Return the search texts, without empty ones and duplicates."""
    texts = dict.fromkeys(each.strip()[:LONGEST_SEARCH] for each in searches)
    return [each for each in texts if each]


def merge_memories(
    memories: list[dict[str, Any]], more: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Append those of `more` that are missing from `memories`, relabelled in sequence.

    Used as a state reducer, since parallel steps may add memories to a run. A label is never
    reused, even if it is free because its memory was forgotten.
    """
    merged = {each["id"]: each for each in memories}
    numbers = [int(found[1]) for each in memories if (found := LABEL.match(each.get("label", "")))]
    last = max([len(memories), *numbers])
    for each in more:
        if each["id"] not in merged:
            last += 1
            label = LABEL.sub(f"[M{last}", each.get("label", ""))
            merged[each["id"]] = {**each, "label": label}
    return list(merged.values())


async def _search(execution: Execution, texts: Sequence[str], limit: int) -> list[RetrievedPage]:
    """Return a page for each text, then one of conversation excerpts on the first text."""
    if not texts:
        return []
    searches = [Search(text, Scope(superseded=True), limit=limit) for text in texts]
    excerpts = Search(texts[0], Scope(kinds=("transcript",)), limit=MOST_EXCERPTS)
    return await retrieve_all(execution, [*searches, excerpts])


def _merged(pages: Iterable[RetrievedPage]) -> tuple[list[ScoredMemory], list[str]]:
    """Return the memories of all pages, best first, each once, and the pages' notes."""
    best: dict[int, ScoredMemory] = {}
    notes: dict[str, None] = {}
    for found in pages:
        notes.update(dict.fromkeys(found.notes))
        for each in found.page:
            known = best.setdefault(each.memory.id, each)
            best[each.memory.id] = max(known, each, key=lambda one: one.score)
    return sorted(best.values(), key=lambda each: (-each.score, each.memory.id)), [*notes]


def _unanswered(question: str, found: RetrievedPage) -> list[str]:
    """Return a note if none of the memories found for a question seems to answer it.

    They are still used: a decision rests on memories of which none decides it.
    """
    judged = answerability(question, found.page, found.readings) if found.page else None
    if judged is None or not judged.refused:
        return []
    return [UNANSWERED.format(probability=judged.probability)]


def _others(found: Sequence[ScoredMemory], text: str) -> list[ScoredMemory]:
    """Return the memories whose content differs from `text`, ignoring whitespace."""
    words = text.split()
    return [each for each in found if not words or each.memory.content.split() != words]


def without_suspicious(found: Sequence[ScoredMemory]) -> tuple[list[ScoredMemory], list[str]]:
    """Return the memories without suspected prompt injections, and a note on those removed.

    A calling agent with tools might follow such text.
    """
    kept = [each for each in found if not detect_injection(each.memory.content).reasons]
    names = [f"mem-{each.memory.id}" for each in found if each not in kept]
    return kept, [LEFT_OUT.format(names=", ".join(names))] if names else []


@dataclass(slots=True)
class _Choice:
    """The memories selected so far, their texts, and the remaining tokens."""

    left: int
    most: int
    memories: list[FoundMemory] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)

    def add(self, memory: FoundMemory, text: str, place: int | None = None) -> None:
        """Add a memory if it fits, at the end or at index `place`."""
        cost = estimate_tokens(f"{_label(memory, MOST_MEMORIES)} {text}\n")
        if len(self.memories) < self.most and cost <= self.left:
            self.left -= cost
            self.texts[memory.id] = text
            self.memories.insert(len(self.memories) if place is None else place, memory)

    def rendered(self) -> list[dict[str, Any]]:
        """Render the selected memories for prompts."""
        numbers = {each.id: number for number, each in enumerate(self.memories, 1)}
        return [
            {
                "id": each.id,
                "content": self.texts[each.id],
                "label": _label(each, numbers[each.id], numbers.get(each.superseded_by or 0)),
            }
            for each in self.memories
        ]


def _choose(
    execution: Execution, found: Sequence[ScoredMemory], question: str, budget: int, most: int
) -> _Choice:
    """Select the best of the candidates; a superseded memory directly follows its successor.

    Selects at most `most` memories with at most `budget` tokens in total.
    """
    longest = budget // LONGEST_SHARE
    choice = _Choice(budget, most)
    memories = distinct([each.memory for each in found], longest)
    for memory in [each for each in memories if not each.superseded_by]:
        choice.add(memory, _memory_text(execution, memory, question, longest))
    for memory in memories:
        ids = [each.id for each in choice.memories]
        if memory.superseded_by in ids:
            place = ids.index(memory.superseded_by) + 1
            choice.add(memory, _memory_text(execution, memory, question, longest), place)
    return choice


def distinct(memories: Iterable[FoundMemory], longest: int) -> list[FoundMemory]:
    """Remove near-duplicates, and session summaries that repeat other memories.

    If one memory contains another, the longer text takes the better rank, unless it has more than
    `longest` tokens, is a session summary, or has another successor.
    """
    kept: list[FoundMemory] = []
    plain: list[str] = []
    for each in sorted(memories, key=lambda one: one.superseded_by is not None):
        text = f" {' '.join(words_in(each.content))} "
        at = next((at for at, other in enumerate(plain) if text in other or other in text), None)
        if at is None:
            kept.append(each)
            plain.append(text)
        elif len(text) > len(plain[at]) and _is_fuller(each, kept[at], longest):
            kept[at], plain[at] = each, text
    return [each for each in kept if not _repeats(each, kept)]


def _is_fuller(memory: FoundMemory, part: FoundMemory, longest: int) -> bool:
    """Return whether a memory may replace one that it contains."""
    short = estimate_tokens(memory.content) <= longest
    return short and memory.tool != EPISODE_TOOL and memory.superseded_by == part.superseded_by


def _repeats(memory: FoundMemory, others: Iterable[FoundMemory]) -> bool:
    """Return whether a session summary mostly repeats other memories of that session."""
    if memory.tool != EPISODE_TOOL:
        return False
    of_session = (each for each in others if each.session_id == memory.session_id)
    known = {word for each in of_session if each is not memory for word in words_in(each.content)}
    words = set(words_in(memory.content))
    return len(words & known) >= REPEATED * len(words)


def _is_excerpt(memory: FoundMemory) -> bool:
    return memory.source_kind == "transcript"


def _label(memory: FoundMemory, number: int, successor: int | None = None) -> str:
    """Return a memory's prompt label: its number, date, kind and, if superseded, its successor."""
    excerpt = _is_excerpt(memory)
    when = (memory.created_at if excerpt else memory.valid_from).date()
    kind = "conversation" if excerpt else memory.event_type
    if kind == "fact" and CATEGORY.fullmatch(memory.category or ""):
        kind = memory.category or kind
    parts = [f"M{number}", when.isoformat(), kind]
    return f"[{', '.join([*parts, *([f'superseded by M{successor}'] if successor else [])])}]"


def _memory_text(execution: Execution, memory: FoundMemory, question: str, longest: int) -> str:
    """Render a memory for prompts, in at most `longest` tokens plus notices.

    Memories stored by another principal name their writer. Conversation excerpts and text that
    looks like a prompt injection are marked.
    """
    if not _is_excerpt(memory):
        content = _nearest_part(memory.content, question, longest)
        if execution.loom.settings.suspicion:
            content = mark_suspicious(memory.content).removesuffix(memory.content) + content
        own = memory.principal == execution.caller.owner
        return content if own else WRITTEN_BY.format(writer=memory.principal) + content
    when = f"{memory.created_at:%Y-%m-%d}"
    head = TRANSCRIPT_HEADER.format(
        when=when, session=projects.display_name(memory.session or "none")
    )
    return f"{head}\n{truncate(memory.content, min(TRANSCRIPT_TOKENS, longest))}"


def _nearest_part(content: str, question: str, longest: int) -> str:
    """Return the text or, if it is too long, the sentences most similar to the question."""
    if estimate_tokens(content) <= longest:
        return content
    start = content.encode()[: longest * BYTES_PER_TOKEN].decode(errors="ignore")
    return extract_steps([content], question, longest) or start
