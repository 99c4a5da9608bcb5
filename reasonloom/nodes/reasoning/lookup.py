"""Looks up what a language model misses: its searches are recalled, and it is asked once more.

A reply names in `lookup` what it would search for, and in `used` the labels of the memories that
it rests on. A pipe of the user's own may give neither.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from reasonloom.errors import BudgetExceeded, LlmRefused, LlmUnavailable, TimedOut
from reasonloom.nodes.offline import cited_memories
from reasonloom.nodes.reasoning.context import look_up, merge_memories
from reasonloom.nodes.runs.llm_call import OptionalReply
from reasonloom.nodes.state import ToolState

if TYPE_CHECKING:
    from reasonloom.llm.interfaces import Reply
    from reasonloom.nodes.execution import Execution
    from reasonloom.nodes.runs.llm_call import Question

R = TypeVar("R", "Reply", OptionalReply)

MOST_LOOKUPS = 2
"""How often a step is asked again: what is found may tell what to search for next."""

MOST_SEARCHES = 3
NUMBER = re.compile(r"\bM(\d+)\b")
FAILED = "the answer to what was looked up: {message}"


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
    """A reply, the memories found for it, the ids of those that it rests on, and notes."""

    reply: R
    found: list[dict[str, Any]]
    used: list[int]
    notes: list[str]

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
) -> Informed[R]:
    """Ask with the memories of the question, and again with what the reply would search for.

    `searches` names the field of the reply that does. A look-up that finds nothing new, or whose
    answer fails, leaves the reply as it is.

    Raises:
        ServiceFault: as `asking` does, for the first question.
    """
    memories: list[dict[str, Any]] = [*question.variables.get("memories", [])]
    given, notes = len(memories), list[str]()
    reply = await asking(question)
    found: list[dict[str, Any]]
    for number in range(1, MOST_LOOKUPS + 1):
        wanted = _strings(reply, searches)[:MOST_SEARCHES]
        found, more = await look_up(execution, wanted, memories) if wanted else ([], [])
        notes += more
        if not found:
            break
        again = replace(
            question,
            variables={**question.variables, "memories": [*memories, *found]},
            task=f"{question.task}.lookup{number}",
        )
        try:
            better = await asking(again)
        except (LlmUnavailable, LlmRefused, TimedOut, BudgetExceeded) as fault:
            notes.append(FAILED.format(message=fault.message))
            break
        if isinstance(better, OptionalReply) and better.fault is not None:
            notes.append(FAILED.format(message=better.fault.message))
            break
        memories, reply = [*memories, *found], better
    return Informed(reply, memories[given:], _used(reply, memories), list(dict.fromkeys(notes)))


def _strings(reply: Reply | OptionalReply, name: str) -> list[str]:
    values = (reply.parsed or {}).get(name) or []
    return [each for each in values if isinstance(each, str) and each.strip()]


def _used(reply: Reply | OptionalReply, memories: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the ids of the memories whose labels a reply names; unknown labels name none.

    A reply that says nothing of them may rest on all.
    """
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
    return [each["id"] for each in state["memories"] if each["id"] in used]
