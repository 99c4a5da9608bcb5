"""The search: GEPA (Agrawal et al. 2025) over the texts of one prompt.

GEPA runs in a separate thread and blocks there; all model calls run on the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar

from reasonloom.errors import BudgetExceeded, PromptMistake
from reasonloom.evals.core.budget import BudgetReached
from reasonloom.evals.core.item import Item
from reasonloom.evals.log import Record
from reasonloom.evals.optimization.candidate import Reflection, example_of
from reasonloom.evals.optimization.split import Split
from reasonloom.evals.optimization.trials import TrialRunner

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch


T = TypeVar("T")
COMPONENT = "template"
"""GEPA's name for the one text that it changes."""

TrialBatch = Sequence["Record"]
"""An item's results, one per epoch."""


@dataclass(slots=True)
class GepaAdapter:
    """Evaluates and proposes texts for GEPA.

    `halted` is why nothing more is tried; earlier results count. `parents` maps each proposal to
    the text it was derived from.
    """

    workshop: TrialRunner
    reflection: Reflection
    loop: asyncio.AbstractEventLoop
    halted: BaseException | None = None
    parents: dict[str, str] = field(default_factory=dict)
    proposals: int = 0

    def evaluate(
        self, batch: list[Item], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[TrialBatch, Any]:
        """Return each item's mean score over epochs; a text that cannot be rendered scores 0."""
        from gepa.core.adapter import EvaluationBatch

        body = candidate[COMPONENT]
        try:
            log = self._wait(lambda: self.workshop.tried(body, batch))
        except PromptMistake as mistake:
            if body not in self.parents:
                raise
            self.reflection.refuse(self.parents[body], body, mistake.message)
            return EvaluationBatch([None] * len(batch), [0.0] * len(batch), [()] * len(batch))
        found: dict[str, list[Record]] = {}
        for record in log.records:
            found.setdefault(record.item, []).append(record)
        tried = [found[item.id] for item in batch]
        scores = [fmean(record.scores.get(self.workshop.score, 0.0) for record in each)
                  for each in tried]  # fmt: skip
        outputs = [[record.output for record in each] for each in tried]
        return EvaluationBatch(outputs, scores, tried if capture_traces else None)

    def make_reflective_dataset(
        self,
        candidate: dict[str, str],
        eval_batch: EvaluationBatch[TrialBatch, Any],
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return each item's results in the form given to the reflection."""
        examples = [
            example_of(records, self.workshop.score)
            for records in eval_batch.trajectories or ()
            if records
        ]
        return dict.fromkeys(components_to_update, examples)

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return a different text; empty if there is no usable one."""
        body, examples = candidate[COMPONENT], reflective_dataset.get(COMPONENT, ())
        found = self._wait(lambda: self.reflection.proposed(body, examples)) if examples else None
        if found is None:
            return {}
        self.proposals += 1
        self.parents.setdefault(found, body)
        return {COMPONENT: found}

    def _wait(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run work on the event loop; any error but PromptMistake halts the search."""

        async def done() -> T:
            return await work()

        if self.halted is not None:
            raise self.halted
        try:
            return asyncio.run_coroutine_threadsafe(done(), self.loop).result()
        except PromptMistake:
            raise
        except (Exception, CancelledError) as error:
            self.halted = error
            raise


PERFECT = 1.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How far to search: rounds of one proposal each, and the items seen per round."""

    rounds: int = 20
    batch: int = 4


@dataclass(slots=True)
class SearchResult:
    """The result of a search: refused proposals, and why it ended early, if so.

    `chosen` has the texts tried on all validation items, with mean scores, the base first.
    """

    chosen: list[tuple[str, float]] = field(default_factory=list)
    rounds: int = 0
    proposals: int = 0
    broken: list[dict[str, str]] = field(default_factory=list)
    stopped: str = ""

    @property
    def best(self) -> tuple[str, float]:
        """The text with the best mean; the first of equals, so that the base wins a tie."""
        return max(self.chosen, key=lambda each: each[1])


class _ProgressWatch:
    """Records the texts tried on all validation items, and decides when to stop."""

    def __init__(self, found: SearchResult, effort: Effort, adapter: GepaAdapter) -> None:
        self._found, self._effort, self._adapter = found, effort, adapter

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        text, score = event["candidate"][COMPONENT], float(event["average_score"])
        self._found.chosen.append((text, score))

    def __call__(self, state: object) -> bool:
        """Return whether to stop; called before each round."""
        found = self._found
        perfect = bool(found.chosen) and found.best[1] >= PERFECT
        if self._adapter.halted or perfect or found.rounds >= self._effort.rounds:
            return True
        found.rounds += 1
        return False


class _Quiet:
    """Discards GEPA's own log lines, which the run's logs already cover."""

    def log(self, message: str) -> None:
        """Write nothing."""


async def search(
    workshop: TrialRunner, reflection: Reflection, split: Split, effort: Effort
) -> SearchResult:
    """Search until the rounds or the budget are used up; raises any other error that halted it.

    The same seed, texts and replies give the same search: a killed one is repeated from the start,
    and everything it paid for is read from its logs and its recording.
    """
    found = SearchResult()
    adapter = GepaAdapter(workshop, reflection, asyncio.get_running_loop())
    watch = _ProgressWatch(found, effort, adapter)
    try:
        await asyncio.to_thread(_optimise, adapter, split, effort, watch)
    except Exception as error:
        if error is not adapter.halted:
            raise
    if adapter.halted is not None:
        if not isinstance(adapter.halted, BudgetExceeded | BudgetReached):
            raise adapter.halted
        found.stopped = str(adapter.halted)
    found.proposals, found.broken = adapter.proposals, list(reflection.broken)
    return found


def _optimise(adapter: GepaAdapter, split: Split, effort: Effort, watch: _ProgressWatch) -> None:
    from gepa.api import optimize

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
