"""Looks up what a reply misses, checks what it calculates, and asks again with what was found.

A reply names in `lookup` what it would search for, in `used` the labels of the memories that it
rests on, and in `claims` its calculations. A pipe of the user's own may give none of them.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from reasonloom.errors import BudgetExceeded, LlmRefused, LlmUnavailable, TimedOut
from reasonloom.nodes.offline import cited_memories
from reasonloom.nodes.reasoning.context import look_up, look_up_again, merge_memories
from reasonloom.nodes.reasoning.verification.faults import Faults, find_faults
from reasonloom.nodes.runs.llm_call import SHARE, OptionalReply
from reasonloom.nodes.state import ToolState
from reasonloom.stores.runs import replies
from reasonloom.stores.runs.replies import CallKey

if TYPE_CHECKING:
    from reasonloom.llm.interfaces import Reply
    from reasonloom.nodes.execution import Execution
    from reasonloom.nodes.runs.llm_call import Question

R = TypeVar("R", "Reply", OptionalReply)

MOST_LOOKUPS = 2
"""How often a step is asked again: what is found may tell what to search for next."""

MOST_SEARCHES = 3
NUMBER = re.compile(r"\bM(\d+)\b")
ANSWERS = ("thought", "viewpoint", "conclusion", "output", "revision", "synthesis")
"""The fields of replies that hold what is answered."""

FAILED = "the answer to {what}: {message}"
LOOKED_UP, CHECKED = "what was looked up", "what a check found"
CHECK = "check"
NOTHING = Faults()


def _union(known: list[int], more: list[int]) -> list[int]:
    return list(dict.fromkeys([*known, *more]))


class MemoryState(ToolState, total=False):
    """The state of a mode that reasons with memories.

    `memories` grows by what steps look up; `used` holds the ids of those that replies rest on.
    """

    memories: Annotated[list[dict[str, Any]], merge_memories]
    used: Annotated[list[int], _union]


@dataclass(frozen=True, slots=True)
class Informed(Generic[R]):
    """A reply, the memories found for it, the ids of those that it rests on, and notes.

    `faults` are what checks found in it, and still find after it was asked for again.
    """

    reply: R
    found: list[dict[str, Any]]
    used: list[int]
    notes: list[str]
    faults: Faults = NOTHING

    @property
    def added(self) -> dict[str, Any]:
        """Return what this adds to a `MemoryState` besides its notes."""
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
    """Ask with the memories of the question, and again with what the reply lacks or has wrong.

    First what it would search for is looked up, where `searches` names the field of the reply that
    tells; a memory that says `but` word for word is not found. Then its calculations are checked,
    and its figures where the prompt takes what is `contradicted`, by the memories that it was given
    and those of `against`. Faults are given back to it once. An answer to a look-up or a check
    that fails leaves the reply before it as it is.

    Raises:
        ServiceFault: as `asking` does, for the first question.
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
    checked: _Checked[R] = await _check(asker, reply, compared, again="failed" in declared)
    informed = informed_by(checked.reply, memories, given, [*asker.notes, *checked.faults.notes])
    return replace(informed, faults=checked.faults)


def first_variables(
    execution: Execution, prompt: str, variables: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the variables of a prompt as it is asked first, when nothing has failed yet."""
    declared = execution.loom.prompts.get(prompt).about.variables
    first = {
        "failed": None,
        "contradicted": None,
        "searched": None,
        "executes": execution.loom.settings.execute == "on",
    }
    return {**variables, **{name: each for name, each in first.items() if name in declared}}


@dataclass(frozen=True, slots=True)
class _Checked(Generic[R]):
    """A reply and the faults that checks find in it."""

    reply: R
    faults: Faults


async def _check(
    asker: _Asker[R], reply: R, memories: Sequence[dict[str, Any]], *, again: bool
) -> _Checked[R]:
    """Return the reply, asked for `again` if checks find faults in it, and what they find then.

    What was answered before a run was resumed counts, also where a comparison with memories, whose
    time is limited, comes to less this time.
    """
    faults = await _faults(asker.execution, reply, memories)
    if not again or not (faults or await asker.is_recorded(CHECK)):
        return _Checked(reply, faults)
    failed = {"answer": _answer_text(reply), "claims": faults.claims}
    more: dict[str, Any] = {"failed": failed}
    if faults.contradictions:
        more["contradicted"] = [
            {"sentence": each.sentence, "memory": each.memory} for each in faults.contradictions
        ]
    better = await asker.again(CHECK, CHECKED, **more)
    if better is None:
        return _Checked(reply, faults)
    left = await _faults(asker.execution, better, memories)
    return _Checked(_after(reply, better), left)


async def _faults(
    execution: Execution, reply: Reply | OptionalReply, memories: Sequence[dict[str, Any]]
) -> Faults:
    """Return what checks find wrong in a reply; without a language model nothing was stated."""
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
    """Return what the reply to a question wants to have looked up, and notes.

    It is recorded with that reply: a run that is resumed, as one that asks its caller is after
    each round, is given the same memories under the same labels, less those forgotten meanwhile.
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
    """Return a reply to a prompt with these memories, of which the first were `given` at first."""
    used = _used(reply, memories)
    return Informed(reply, [*memories[given:]], used, list(dict.fromkeys(notes)))


@dataclass(slots=True)
class _Asker(Generic[R]):
    """Asks a question anew with other variables; what was given once stays."""

    execution: Execution
    question: Question
    asking: Callable[[Question], Awaitable[R]]
    variables: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    async def again(self, task: str, what: str, **variables: Any) -> R | None:
        """Return the reply with these variables; None, with a note on `what`, if there is none."""
        try:
            return await self._ask_again(task, variables)
        except (LlmUnavailable, LlmRefused, TimedOut, BudgetExceeded) as fault:
            self.notes.append(FAILED.format(what=what, message=fault.message))
            return None

    async def _ask_again(self, task: str, variables: Mapping[str, Any]) -> R:
        """Return the reply with these variables.

        It may take half of the run's remaining time, and none if half of its budget is used up: the
        answer is there, and other calls must follow.

        Raises:
            ServiceFault: as `asking` does; it was not the JSON asked for, or there is no room.
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
            raise LlmRefused("it was not the JSON asked for")
        return reply

    async def is_recorded(self, task: str) -> bool:
        """Tell whether this was answered before the run was resumed, and so costs nothing."""
        run, question = self.execution.run, self.question
        if not run.resumed:
            return False
        key = CallKey(run.id, question.node, f"{question.task}.{task}", question.n)
        execution = self.execution
        async with execution.loom.database.begin(execution.caller, once=True) as tx:
            return await replies.recorded(tx, key) is not None

    def _seconds(self) -> float:
        """Return half of what the run has left, within the question's limit since it was asked."""
        now, run = time.perf_counter(), self.execution.run
        left = (self.execution.seconds - (now - run.started)) * SHARE
        limit = self.question.seconds
        return left if limit is None else min(left, limit - (now - self.started))


def _after(first: R, second: R) -> R:
    """Return a second reply with the cost of both."""
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
    """Return the ids of the memories whose labels a reply names; unknown labels name none.

    A reply that says nothing of them may rest on all, one that failed rests on none.
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
    """Return the ids of the memories that a thought rests on; without a language model it cites."""
    used = cited_memories(content) if execution.loom.llm.offline else state.get("used", [])
    return [each["id"] for each in state.get("memories", []) if each["id"] in used]
