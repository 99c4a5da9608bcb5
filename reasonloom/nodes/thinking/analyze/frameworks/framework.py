"""The types of frameworks, their steps, and the features that speak for a framework."""

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Step:
    """A step: instruction, questions, expected result, and the steps `after` which it comes."""

    name: str
    instruction: str
    questions: tuple[str, ...]
    expects: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Framework:
    """A way to analyse: `best_for` informs the choice, `description` the caller."""

    id: str
    name: str
    description: str
    best_for: str
    steps: tuple[Step, ...]

    @cached_property
    def waves(self) -> tuple[tuple[Step, ...], ...]:
        """The steps by when they can begin; those of one wave are independent of each other."""
        depth: dict[str, int] = {}
        for each in self.steps:
            depth[each.name] = 1 + max((depth[name] for name in each.after), default=-1)
        last = max(depth.values())
        return tuple(
            tuple(each for each in self.steps if depth[each.name] == at) for at in range(last + 1)
        )


@dataclass(frozen=True, slots=True)
class Feature:
    """A sign that speaks for a framework: its weight, cues, and `reason` in words."""

    framework: str
    weight: float
    reason: str
    cues: re.Pattern[str]


def any_of(*words: str) -> re.Pattern[str]:
    """Return a pattern that matches any of these words from their beginning."""
    return re.compile(r"\b(?:" + "|".join(words) + r")", re.I)
