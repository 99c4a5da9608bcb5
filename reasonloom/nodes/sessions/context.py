"""The session context of a run: its branch, and the branch's history within a token budget."""

from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from reasonloom.nodes.execution import Execution
from reasonloom.stores.database import Transaction
from reasonloom.stores.sessions import branches, sessions, thoughts
from reasonloom.stores.sessions.branches import BranchRow
from reasonloom.stores.sessions.sessions import SessionRow
from reasonloom.stores.sessions.thoughts import NewThought, PastThought
from reasonloom.text.sentences import sentences_in
from reasonloom.text.tokens import BYTES_PER_TOKEN, estimate_tokens
from reasonloom.text.words import words_in

FORKED = (
    "another run has continued this branch meanwhile: the thought is on a new branch,"
    " {branch}; focus on it to continue from there"
)
MOST_STEPS = 100
"""Number of newest steps of a branch to read."""

LONGEST = 1_000
"""Characters of an older step available to the extract."""

WHOLE_SHARE = 0.75
"""Share of the budget for whole steps if not all fit; the rest is for the extract."""

EXTRACTED = "{steps} earlier steps of this session, as an extract of their own sentences"


@dataclass(frozen=True, slots=True)
class BranchHistory:
    """Steps for a prompt, oldest first, each with `input` and `content`, and notes.

    `problem` is the input of the first step that was read.
    """

    steps: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problem: str = ""


async def branch_history(
    tx: Transaction, execution: Execution, head: UUID | None, question: str
) -> BranchHistory:
    """Return the steps that lead to `head`, within `REASONLOOM_HISTORY_TOKENS`."""
    budget = execution.loom.settings.history_tokens
    longest = budget * BYTES_PER_TOKEN + 1  # longer steps do not fit anyway
    steps = await thoughts.line(tx, head, most=MOST_STEPS, longest=longest)
    history = fit_history(steps, question, budget)
    if len(steps) == MOST_STEPS:
        history.notes.append(f"only the newest {MOST_STEPS} steps of the history were read")
    return replace(history, problem=steps[0].input) if steps else history


def fit_history(steps: Sequence[PastThought], question: str, budget: int) -> BranchHistory:
    """Return `steps` within `budget` tokens.

    Returns all steps whole if they fit; else the newest ones whole, in three quarters of the
    budget, preceded by an extract of the older ones. The extract is verbatim, and the result is
    deterministic.
    """
    if sum(map(_tokens, steps)) <= budget:
        return BranchHistory([_as_step(each) for each in steps])
    room, first = int(budget * WHOLE_SHARE), len(steps)
    while first and _tokens(steps[first - 1]) <= room:
        first -= 1
        room -= _tokens(steps[first])
    older, whole = steps[:first], [_as_step(each) for each in steps[first:]]
    head = EXTRACTED.format(steps=len(older))
    left = budget - sum(map(_tokens, steps[first:])) - estimate_tokens(head)
    summary = extract_steps([each.content[:LONGEST] for each in older], question, left)
    note = (
        f"the history is longer than {budget} tokens: the newest {len(whole)} steps are given"
        f" in full, {len(older)} older ones as an extract of their sentences"
    )
    return BranchHistory(
        [*([{"input": head, "content": summary}] if summary else []), *whole], [note]
    )


def extract_steps(texts: Sequence[str], question: str, budget: int) -> str:
    """Return distinct sentences of `texts`, in order, within a total of `budget` tokens.

    Prefers sentences that share the most words with the question, then those whose words occur in
    the most texts, then later ones.
    """
    question_words = set(words_in(question))
    placed = [
        (sentence, place) for place, text in enumerate(texts) for sentence in sentences_in(text)
    ]
    words = {sentence: frozenset(words_in(sentence)) for sentence, _ in placed}
    occurrences = {(word, place) for sentence, place in placed for word in words[sentence]}
    spread = Counter(word for word, _ in occurrences)
    last = {sentence: number for number, (sentence, _) in enumerate(placed)}

    def worth(sentence: str) -> tuple[int, float, int]:
        bag = words[sentence]
        central = sum(spread[word] for word in bag) / len(bag) if bag else 0.0
        return len(bag & question_words), central, last[sentence]

    taken: list[str] = []
    for sentence in sorted(last, key=worth, reverse=True):
        if (cost := estimate_tokens(sentence + " ")) <= budget:
            budget -= cost
            taken.append(sentence)
    return " ".join(sorted(taken, key=lambda each: last[each]))


def _tokens(step: PastThought) -> int:
    return estimate_tokens(step.input) + estimate_tokens(step.content)


def _as_step(step: PastThought) -> dict[str, str]:
    return {"input": step.input, "content": step.content}


async def session_context(
    execution: Execution, session_id: str | None, question: str, *, branch_id: str | None = None
) -> tuple[dict[str, Any], BranchHistory]:
    """Return the ids of the session, its branch and the head (None if empty), and the history.

    The branch is the session's active one unless `branch_id` is given.

    Raises:
        SessionNotFound: the owner has no such session.
        BranchNotFound: the owner has no such branch, or it belongs to another session.
    """
    if session_id is None and branch_id is None:
        return new_place(execution), BranchHistory()
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        known, branch = await _find_branch(tx, session_id, branch_id)
        history = await branch_history(tx, execution, branch.head_id, question)
    head = str(branch.head_id) if branch.head_id else None
    return {"id": str(known.id), "branch": str(branch.id), "head": head}, history


def new_place(execution: Execution) -> dict[str, Any]:
    """Return the place of the first thought of a new session of this run."""
    fresh = str(execution.run.effect("session"))
    return {"id": fresh, "branch": fresh, "head": None}


def next_thought(
    execution: Execution, place: Mapping[str, Any], *, mode: str, question: str, content: str,
    confidence: float, metadata: dict[str, Any] | None = None,
) -> NewThought:  # fmt: skip
    """Return the run's new thought at a place returned by `session_context`."""
    return NewThought(
        id=execution.run.effect("thought"),
        session_id=UUID(place["id"]),
        parent_id=UUID(place["head"]) if place["head"] else None,
        branch_id=UUID(place["branch"]),
        mode=mode,
        input=question,
        content=content,
        confidence=execution.capped(confidence),
        llm=execution.loom.llm.name,
        run_id=execution.run.id,
        metadata=metadata or {},
    )


async def open_session(tx: Transaction, execution: Execution, session: UUID, mode: str) -> UUID:
    """Return the session, creating it for the caller's client and project if needed."""
    caller = execution.caller
    return await sessions.open_session(
        tx, session, mode=mode, project=caller.project, client=caller.client
    )


async def append_thought(
    tx: Transaction,
    execution: Execution,
    thought: NewThought,
    writes: Callable[[Transaction], Iterable[Coroutine[Any, Any, object]]] = lambda _: (),
) -> tuple[UUID, list[str]]:
    """Store a thought in its session, which is locked; return its branch and notes.

    `writes` are pipelined into the same round trip.
    """
    session = thought.session_id
    opening = open_session(tx, execution, session, thought.mode), sessions.hold(tx, str(session))
    branch = await branches.extend(
        tx, thought, fork=execution.run.effect("fork"), first=opening, writes=writes
    )
    return branch, fork_notes(thought, branch)


def fork_notes(thought: NewThought, branch: UUID) -> list[str]:
    """Return a note if a thought was stored on a new branch instead of its own."""
    return [] if branch == thought.branch_id else [FORKED.format(branch=branch)]


async def _find_branch(
    tx: Transaction, session_id: str | None, branch_id: str | None
) -> tuple[SessionRow, BranchRow]:
    if branch_id is None:
        known = await sessions.require(tx, session_id or "")
        return known, await branches.active(tx, known)
    if session_id is None:
        session_id = await branches.session_of(tx, branch_id)
    known = await sessions.require(tx, session_id)
    return known, await branches.require(tx, known, branch_id)
