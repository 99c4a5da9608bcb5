"""The search itself: GEPA (Agrawal et al. 2025) over the texts of one prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reasonloom.evals.optimization.search import COMPONENT, Adapter, is_budget

if TYPE_CHECKING:
    from reasonloom.evals.optimization.candidate import Reflection
    from reasonloom.evals.optimization.split import Split
    from reasonloom.evals.optimization.trials import Workshop

PERFECT = 1.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How far to search: rounds of a proposal each, and how many items each looks at."""

    rounds: int = 20
    batch: int = 4


@dataclass(slots=True)
class Found:
    """What a search came to.

    Attributes:
        chosen: the texts that were tried on all validation items, with their mean scores; the base
            is the first.
        proposals: how many texts were proposed.
        broken: proposals that were refused, with the reasons.
        stopped: why the search ended before its rounds, empty where it did not.
    """

    chosen: list[tuple[str, float]] = field(default_factory=list)
    rounds: int = 0
    proposals: int = 0
    broken: list[dict[str, str]] = field(default_factory=list)
    stopped: str = ""

    @property
    def best(self) -> tuple[str, float]:
        """The text with the best mean; of several the first, so that the base wins a tie."""
        return max(self.chosen, key=lambda each: each[1])


class _Watch:
    """Notes for each round which texts were tried on all validation items, and when to end."""

    def __init__(self, found: Found, effort: Effort, adapter: Adapter) -> None:
        self._found, self._effort, self._adapter = found, effort, adapter

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        text, score = event["candidate"][COMPONENT], float(event["average_score"])
        self._found.chosen.append((text, score))

    def __call__(self, state: object) -> bool:
        """Tell whether to end; asked before each round."""
        found = self._found
        perfect = bool(found.chosen) and found.best[1] >= PERFECT
        if self._adapter.halted or perfect or found.rounds >= self._effort.rounds:
            return True
        found.rounds += 1
        return False


class _Quiet:
    """Where GEPA's own lines go: all that they tell stands in the run's logs."""

    def log(self, message: str) -> None:
        """Write nothing."""


async def search(workshop: Workshop, reflection: Reflection, split: Split, effort: Effort) -> Found:
    """Search, and return what was found until the rounds or the budget were used up.

    The same seed, texts and replies make the same search: one that was killed is done again from
    its beginning, and all that it has paid is read from its logs and its recording.

    Raises:
        LlmRefused: a provider refuses.
        LlmUnavailable: items came to nothing.
        CallerMistake: the suite is not right.
    """
    found = Found()
    adapter = Adapter(workshop, reflection, asyncio.get_running_loop())
    watch = _Watch(found, effort, adapter)
    try:
        await asyncio.to_thread(_optimise, adapter, split, effort, watch)
    except Exception as error:
        if error is not adapter.halted:
            raise
    if adapter.halted is not None:
        if not is_budget(adapter.halted):
            raise adapter.halted
        found.stopped = str(adapter.halted)
    found.proposals, found.broken = adapter.proposals, list(reflection.broken)
    return found


def _optimise(adapter: Adapter, split: Split, effort: Effort, watch: _Watch) -> None:
    from gepa.api import optimize  # noqa: PLC0415

    optimize(
        seed_candidate={COMPONENT: adapter.workshop.base.body},
        trainset=list(split.train),
        valset=list(split.validation),
        adapter=adapter,
        reflection_minibatch_size=min(effort.batch, len(split.train)),
        perfect_score=PERFECT,
        stop_callbacks=watch,
        callbacks=[watch],
        logger=_Quiet(),
        seed=adapter.workshop.trial.seed,
    )
