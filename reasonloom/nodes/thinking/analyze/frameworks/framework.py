"""What a framework and its steps are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """A question of a step; `cue` names the words by which a text answers it (`plain_cues`)."""

    text: str
    cue: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is done, what it asks and is to bring, and whose results it needs first."""

    name: str
    told: str
    questions: tuple[StepQuestion, ...]
    expects: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Framework:
    """A way to analyse: `best_for` is told to who chooses, `description` to who asks."""

    id: str
    name: str
    description: str
    best_for: str
    steps: tuple[Step, ...]

    @cached_property
    def waves(self) -> tuple[tuple[Step, ...], ...]:
        """The steps in the order in which they can begin; those of one wave do not need another."""
        depth: dict[str, int] = {}
        for each in self.steps:
            depth[each.name] = 1 + max((depth[name] for name in each.after), default=-1)
        last = max(depth.values())
        return tuple(
            tuple(each for each in self.steps if depth[each.name] == at) for at in range(last + 1)
        )


def question(cue: str, text: str) -> StepQuestion:
    """Return a question that is answered by the words of a cue."""
    return StepQuestion(text, cue)


@dataclass(frozen=True, slots=True)
class Feature:
    """How much evidence a sign is for a framework, and how a reason puts it into words."""

    framework: str
    weight: float
    said: str
    cues: re.Pattern[str]


def any_of(*words: str) -> re.Pattern[str]:
    """Return what finds any of these words, each from its beginning."""
    return re.compile(r"\b(?:" + "|".join(words) + r")", re.I)
