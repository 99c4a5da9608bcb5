"""What GEPA calls: it tries texts in the workshop and asks the reflection for new ones.

GEPA runs in a thread of its own and waits there; all asking is done on the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar

from reasonloom.errors import PromptMistake
from reasonloom.evals.core.budget import Stopped
from reasonloom.evals.optimization.candidate import example_of

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch

    from reasonloom.evals.core.item import Item
    from reasonloom.evals.log import Record
    from reasonloom.evals.optimization.candidate import Reflection
    from reasonloom.evals.optimization.trials import Workshop

T = TypeVar("T")
COMPONENT = "template"
"""What GEPA calls the one text that it changes."""

Tried = Sequence["Record"]
"""An item's results, one for each epoch."""


@dataclass(slots=True)
class Adapter:
    """Tries and proposes on behalf of GEPA.

    Attributes:
        halted: why nothing more is to be tried; what was found until then counts.
        parents: the text that each proposal came from.
        proposals: how many texts were proposed that could be tried.
    """

    workshop: Workshop
    reflection: Reflection
    loop: asyncio.AbstractEventLoop
    halted: BaseException | None = None
    parents: dict[str, str] = field(default_factory=dict)
    proposals: int = 0

    def evaluate(
        self, batch: list[Item], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[Tried, Any]:
        """Return each item's mean score of the epochs; a text that cannot be rendered has 0."""
        from gepa.core.adapter import EvaluationBatch  # noqa: PLC0415

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
        eval_batch: EvaluationBatch[Tried, Any],
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return what became of each item, as the reflection is shown it."""
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
        """Return another text; nothing where none came that can be used."""
        body, examples = candidate[COMPONENT], reflective_dataset.get(COMPONENT, ())
        found = self._wait(lambda: self.reflection.proposed(body, examples)) if examples else None
        if found is None:
            return {}
        self.proposals += 1
        self.parents.setdefault(found, body)
        return {COMPONENT: found}

    def _wait(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do work on the event loop; once anything but a text is at fault, no more is begun."""

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


def is_budget(error: BaseException) -> bool:
    """Tell whether it was the budget that ended the search."""
    from reasonloom.errors import BudgetExceeded  # noqa: PLC0415

    return isinstance(error, BudgetExceeded | Stopped)
