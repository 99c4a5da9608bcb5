"""Tasks of the reasoning bench: a question, memories, and an automatic check of the answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument

PACKAGED = Path(__file__).parents[1] / "suites" / "reasoning" / "reason"
HALVES = ("dev", "held", "all")


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory; if `needed`, it can be searched for by `cue` once `after` (keys) are known."""

    key: str
    content: str
    date: str
    needed: bool = False
    after: Sequence[str] = ()
    cue: str = ""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong answer: what follows without the memory `missing`, or a slip if that is empty."""

    text: str
    missing: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Task:
    """One task; `claims` are expressions that hold if the answer is right."""

    id: str
    kind: str
    question: str
    memories: Sequence[Memory]
    right: str
    wrong: Sequence[Wrong]
    check: Mapping[str, Any] = field(default_factory=dict)
    claims: Sequence[str] = ()

    @property
    def half(self) -> str:
        """`dev` for odd numbers, `held` for even ones."""
        return "dev" if int(self.id.rpartition("-")[2]) % 2 else "held"

    @cached_property
    def needed(self) -> tuple[Memory, ...]:
        """The memories that the right answer requires."""
        return tuple(memory for memory in self.memories if memory.needed)

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The right answer, then the wrong ones."""
        return (self.right, *(wrong.text for wrong in self.wrong))


def _task(line: str) -> Task:
    fields = json.loads(line)
    fields["memories"] = [Memory(**memory) for memory in fields["memories"]]
    fields["wrong"] = [Wrong(**wrong) for wrong in fields["wrong"]]
    return Task(**fields)


def load_tasks(half: str = "all", folder: Path = PACKAGED) -> tuple[Task, ...]:
    """Load a half of the tasks in a folder's JSON Lines files, which hold one kind each.

    Raises:
        InvalidArgument: the half is unknown, it has no tasks, or a task is malformed.
    """
    if half not in HALVES:
        raise InvalidArgument(f"half: must be one of {', '.join(HALVES)}", field="half")
    found: list[Task] = []
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            try:
                task = _task(line)
                chosen = half in (task.half, "all")
            except (ValueError, TypeError, KeyError) as error:
                raise InvalidArgument(
                    f"{path.name}: line {number}: {error}", field="data"
                ) from error
            found += [task] if chosen else []
    if not found:
        raise InvalidArgument(f"data: {folder} has no tasks of this half", field="data")
    return tuple(found)
