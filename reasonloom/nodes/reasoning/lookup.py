"""Look up what a reply lacks, check its calculations, and ask again with the findings.

In a reply, `lookup` lists the searches the model wants, `used` the labels of the memories it relies
on, and `claims` its calculations. A custom pipe may return none of these.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Generic, TypeVar

from reasonloom.errors import BudgetExceeded, LlmRefused, TimedOut
from reasonloom.llm.interfaces import Reply
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import cited_memories
from reasonloom.nodes.reasoning.context import look_up, look_up_again, merge_memories
from reasonloom.nodes.reasoning.verification.faults import Faults, find_faults
from reasonloom.nodes.runs.llm_call import FAULTS, SHARE, OptionalReply, Question, ask_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.runs import replies
from reasonloom.stores.runs.replies import CallKey

R = TypeVar("R", "Reply", OptionalReply)

MOST_LOOKUPS = 2
"""How often a step is asked again; results of one look-up may suggest the next search."""

MOST_SEARCHES = 3
NUMBER = re.compile(r"\bM(\d+)\b")
ANSWERS = ("thought", "viewpoint", "conclusion", "output", "revision", "synthesis")
"""The reply fields that may hold the answer."""

FAILED = "the answer to {what}: {message}"
LOOKED_UP, CHECKED = "what was looked up", "what a check found"
CHECK = "check"
NOTHING = Faults()


def _union(known: list[int], more: list[int]) -> list[int]:
    return list(dict.fromkeys([*known, *more]))


class MemoryState(ToolState, total=False):
    """The state of a mode that reasons with memories.

    `memories` grows as steps look more up; `used` holds the ids of those that replies rely on.
    """

    memories: Annotated[list[dict[str, Any]], merge_memories]
    used: Annotated[list[int], _union]


@dataclass(frozen=True, slots=True)
class Informed(Generic[R]):
    """A reply, the memories looked up for it, the ids of the memories it relies on, and notes.

    `faults` are those that checks still find after the reply was corrected, if it was.
    """

    reply: R
    found: list[dict[str, Any]]
    used: list[int]
    notes: list[str]
    faults: Faults = NOTHING

    @property
    def added(self) -> dict[str, Any]:
        """Return the update for a `MemoryState`, without the notes."""
        return {"memories": self.found, "used": self.used}


async def ask_informed(
    execution: Execution,
    question: Question,
    asking: Callable[[Question], Awaitable[R]],
    *,
    searches: str = "lookup",
    but: str = "",
    against: Sequence[dict[str, Any]] = (),
) -> Informed[R]:
    """Ask with the question's memories, then again with what the reply lacks or gets wrong.

    First, the reply's own searches are looked up, taken from the reply field named by `searches`;
    memories identical to `but` are excluded. Then its calculations are checked and, if the prompt
    declares `contradicted`, its figures are compared with its memories and those of `against`.
    Faults are sent back for correction once. If asking again fails, the previous reply is used.

    Raises:
        ServiceFault: as `asking` raises it for the first question.
    """
    declared = execution.loom.prompts.get(question.prompt).about.variables
    variables = first_variables(execution, question.prompt, question.variables)
    asker: _Asker[R] = _Asker(execution, question, asking, variables)
    memories: list[dict[str, Any]] = [*question.variables.get("memories", [])]
    given = len(memories)
    found: list[dict[str, Any]]
    reply = await asking(replace(question, variables=dict(asker.variables)))
    latest = question
    for number in range(1, MOST_LOOKUPS + 1):
        wanted = _strings(reply, searches)[:MOST_SEARCHES] if "memories" in declared else []
        found, notes = await _look_up_once(execution, latest, wanted, memories, but)
        asker.notes += notes
        if not found:
            break
        memories = [*memories, *found]
        more: dict[str, Any] = {"memories": memories}
        if "searched" in declared:
            labels = [each["label"] for each in found]
            more["searched"] = {"queries": wanted, "labels": labels}
        better = await asker.again(f"lookup{number}", LOOKED_UP, **more)
        if better is None:
            break
        reply = _after(reply, better)
        latest = replace(question, task=f"{question.task}.lookup{number}")
    compared = [*memories, *against] if "contradicted" in declared else []
    faults: Faults
    reply, faults = await _check(asker, reply, compared, again="failed" in declared)
    informed = informed_by(reply, memories, given, [*asker.notes, *faults.notes])
    return replace(informed, faults=faults)


async def ask_informed_or_note(
    execution: Execution,
    question: Question,
    what: str,
    *,
    searches: str = "lookup",
    but: str = "",
    against: Sequence[dict[str, Any]] = (),
) -> Informed[OptionalReply]:
    """Call `ask_informed` with `ask_or_note`, so that a fault becomes a note that names `what`."""
    asking = partial(ask_or_note, execution, what=what)
    return await ask_informed(
        execution, question, asking, searches=searches, but=but, against=against
    )


def first_variables(
    execution: Execution, prompt: str, variables: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the prompt variables for the first call, when nothing has been searched or failed."""
    declared = execution.loom.prompts.get(prompt).about.variables
    first = {
        "failed": None,
        "contradicted": None,
        "searched": None,
        "executes": execution.loom.settings.execute == "on",
    }
    return {**variables, **{name: each for name, each in first.items() if name in declared}}


async def _check(
    asker: _Asker[R], reply: R, memories: Sequence[dict[str, Any]], *, again: bool
) -> tuple[R, Faults]:
    """Return the reply, corrected once if checks find faults and `again` is set, and its faults.

    A correction recorded before the run was resumed is used even if the comparison with memories,
    which has a time limit, finds fewer faults this time.
    """
    faults = await _faults(asker.execution, reply, memories)
    if not again or not (faults or await asker.is_recorded(CHECK)):
        return reply, faults
    failed = {"answer": _answer_text(reply), "claims": faults.claims}
    more: dict[str, Any] = {"failed": failed}
    if faults.contradictions:
        more["contradicted"] = [
            {"sentence": each.sentence, "memory": each.memory} for each in faults.contradictions
        ]
    better = await asker.again(CHECK, CHECKED, **more)
    if better is None:
        return reply, faults
    return _after(reply, better), await _faults(asker.execution, better, memories)


async def _faults(
    execution: Execution, reply: Reply | OptionalReply, memories: Sequence[dict[str, Any]]
) -> Faults:
    """Return the faults that checks find in a reply; none without a language model."""
    if execution.loom.llm.offline:
        return NOTHING
    read = reply.parsed is None or any(name in reply.parsed for name in ANSWERS)
    answer = _answer_text(reply) if read else ""
    execute = execution.loom.settings.execute == "on"
    return await find_faults(answer, _strings(reply, "claims"), memories, execute=execute)


async def _look_up_once(
    execution: Execution,
    question: Question,
    wanted: Sequence[str],
    known: Sequence[dict[str, Any]],
    but: str,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Look up the searches requested by the reply to a question; return memories and notes.

    The result is recorded with that reply, so that a resumed run sees the same memories under the
    same labels, except those forgotten since. A run whose caller is the language model is resumed
    after every round.
    """
    if not wanted or not execution.loom.settings.auto_memory:
        return [], []
    key = CallKey(execution.run.id, question.node, question.task, question.n)
    kept = await _kept(execution, key) if execution.run.resumed else None
    if kept is None:
        found, notes = await look_up(execution, wanted, known, but)
        mine = {"memories": [[each["id"], each["label"]] for each in found], "notes": notes}
        async with execution.loom.database.begin(execution.caller, once=True) as tx:
            kept = await replies.keep_found(tx, key, mine)
        if kept is None or kept == mine:
            return found, notes
    labels = {int(number): str(label) for number, label in kept["memories"]}
    return await look_up_again(execution, wanted, labels), [*kept["notes"]]


async def _kept(execution: Execution, key: CallKey) -> dict[str, Any] | None:
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        return await replies.find_found(tx, key)


def informed_by(
    reply: R, memories: Sequence[dict[str, Any]], given: int, notes: Sequence[str] = ()
) -> Informed[R]:
    """Return a reply with its used memories; the first `given` memories were not looked up."""
    used = _used(reply, memories)
    return Informed(reply, [*memories[given:]], used, list(dict.fromkeys(notes)))


@dataclass(slots=True)
class _Asker(Generic[R]):
    """Asks a question again with additional variables, which accumulate over the calls."""

    execution: Execution
    question: Question
    asking: Callable[[Question], Awaitable[R]]
    variables: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    async def again(self, task: str, what: str, **variables: Any) -> R | None:
        """Ask again with these variables; return None, with a note about `what`, on failure."""
        try:
            return await self._ask_again(task, variables)
        except FAULTS as fault:
            self.notes.append(FAILED.format(what=what, message=fault.message))
            return None

    async def _ask_again(self, task: str, variables: Mapping[str, Any]) -> R:
        """Ask again with these variables and return the reply.

        The call may take half of the run's remaining time and is skipped if half of the budget is
        used: an answer already exists, and other calls must follow.

        Raises:
            ServiceFault: as `asking` raises it; also if the reply was not the requested JSON, or no
                budget or time is left.
        """
        spent, settings = self.execution.run.spent, self.execution.loom.settings
        full = (
            spent.calls * 2 >= settings.budget_calls or spent.tokens * 2 >= settings.budget_tokens
        )
        if full and not await self.is_recorded(task):
            raise BudgetExceeded("half of the run's budget is used up")
        seconds = self._seconds()
        if seconds <= 0:
            raise TimedOut("no time is left")
        self.variables |= variables
        question = replace(
            self.question,
            variables=dict(self.variables),
            task=f"{self.question.task}.{task}",
            seconds=seconds,
        )
        try:
            async with asyncio.timeout(seconds):
                reply = await self.asking(question)
        except TimeoutError:
            raise TimedOut(f"no answer within {seconds:.3g} s") from None
        if isinstance(reply, OptionalReply) and reply.fault is not None:
            raise reply.fault
        if reply.parsed is None:
            raise LlmRefused("it was not the requested JSON")
        return reply

    async def is_recorded(self, task: str) -> bool:
        """Return whether the call was recorded before the run was resumed, and so is free."""
        run, question = self.execution.run, self.question
        if not run.resumed:
            return False
        key = CallKey(run.id, question.node, f"{question.task}.{task}", question.n)
        execution = self.execution
        async with execution.loom.database.begin(execution.caller, once=True) as tx:
            return await replies.recorded(tx, key) is not None

    def _seconds(self) -> float:
        """Return half of the run's remaining time, within the rest of the question's time limit."""
        now, run = time.perf_counter(), self.execution.run
        left = (self.execution.seconds - (now - run.started)) * SHARE
        limit = self.question.seconds
        return left if limit is None else min(left, limit - (now - self.started))


def _after(first: R, second: R) -> R:
    """Return the second reply with the combined usage of both."""
    return replace(second, usage=first.usage + second.usage)


def _answer_text(reply: Reply | OptionalReply) -> str:
    parsed = reply.parsed or {}
    return next((str(parsed[name]) for name in ANSWERS if parsed.get(name)), reply.text)


def _strings(reply: Reply | OptionalReply, name: str) -> list[str]:
    values = (reply.parsed or {}).get(name)
    values = [values] if isinstance(values, str) else values
    if not isinstance(values, list):
        return []
    return [each for each in values if isinstance(each, str) and each.strip()]


def _used(reply: Reply | OptionalReply, memories: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the ids of the memories that a reply cites; unknown labels are ignored.

    A reply without `used` may rely on all memories; a failed reply relies on none.
    """
    if isinstance(reply, OptionalReply) and reply.fault is not None:
        return []
    if "used" not in (reply.parsed or {}):
        return [each["id"] for each in memories]
    named = {number for each in _strings(reply, "used") for number in NUMBER.findall(each)}
    return [
        each["id"]
        for each in memories
        if named.intersection(NUMBER.findall(each.get("label", ""))[:1])
    ]


def memories_used_in(execution: Execution, content: str, state: Mapping[str, Any]) -> list[int]:
    """Return the ids of the memories a thought relies on; offline, those its text quotes."""
    used = cited_memories(content) if execution.loom.llm.offline else state.get("used", [])
    return [each["id"] for each in state.get("memories", []) if each["id"] in used]
