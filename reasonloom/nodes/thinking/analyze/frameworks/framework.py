"""The types of frameworks, their steps, and the features that indicate a framework."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from reasonloom.nodes.reasoning.routing.cues import any_of


@dataclass(frozen=True, slots=True)
class Step:
    """A step: instruction, questions, expected result; `after` names the steps it depends on."""

    name: str
    instruction: str
    questions: tuple[str, ...]
    expects: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Framework:
    """An analysis framework: `best_for` guides its selection, `description` is for the caller."""

    id: str
    name: str
    description: str
    best_for: str
    steps: tuple[Step, ...]

    @cached_property
    def waves(self) -> tuple[tuple[Step, ...], ...]:
        """The steps grouped by when they can start; steps of one wave are independent."""
        depth: dict[str, int] = {}
        for each in self.steps:
            depth[each.name] = 1 + max((depth[name] for name in each.after), default=-1)
        last = max(depth.values())
        return tuple(
            tuple(each for each in self.steps if depth[each.name] == at) for at in range(last + 1)
        )


@dataclass(frozen=True, slots=True)
class Feature:
    """Textual evidence for a framework: weight, `reason` in words, and pattern of the cues."""

    framework: str
    weight: float
    reason: str
    cues: re.Pattern[str]

    @classmethod
    def of(cls, framework: str, weight: float, reason: str, *cues: str) -> Self:
        """Return a feature with these cues, see `any_of`."""
        return cls(framework, weight, reason, any_of(*cues))
