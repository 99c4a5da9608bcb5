"""A way to answer items on workers; scoring, log, progress and result stay those of one process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.evals.core.budget import Budget, Spending
from reasonloom.evals.core.item import DIGEST, Answer, Item
from reasonloom.evals.core.llm_calls import Attempt, Limits, current_attempt
from reasonloom.evals.core.way import AnswerContext, Answering, Way
from reasonloom.llm.interfaces import Usage
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.workers.eval_spec import SPEC, plain_way, spec_of
from reasonloom.workers.follower import Warn, following, log
from reasonloom.workers.item_budget import ItemBudget
from reasonloom.workers.kinds import KINDS
from reasonloom.workers.parcels import ERROR, error_of


@dataclass(frozen=True)
class Spread:
    """Answers items as `inner` does, each in a job of its own.

    Attributes:
        inner: the way that workers use, a tool or a prompt without functions.
        llm: the language model as a setting; that of the settings if None.
        limits: calls at once, of each worker.
        spending: the budget of all items, and what was spent of it.
        lenient: whether a provider's refusal is an answer that counts as wrong.
        warn: gets a sentence if no worker takes the jobs.
    """

    inner: Way
    llm: str | None = None
    limits: Limits = field(default_factory=Limits)
    spending: Spending = field(default_factory=lambda: Spending(Budget()))
    lenient: bool = False
    warn: Warn = log.warning

    def __post_init__(self) -> None:
        plain_way(self.inner)

    @property
    def asks(self) -> bool:
        """Whether it calls a language model."""
        return self.inner.asks

    def about(self) -> dict[str, Any]:
        """Return the inner way's description: where items are answered changes no result."""
        return self.inner.about()

    def prompts(self) -> tuple[str, ...] | None:
        """Return the prompts that the inner way uses."""
        return self.inner.prompts()

    def check(self, item: Item, prompts: PromptRegistry) -> None:
        """Refuse an item that the inner way cannot answer."""
        self.inner.check(item, prompts)

    @asynccontextmanager
    async def opened(self, parts: AnswerContext) -> AsyncIterator[Answering]:
        """Yield a function that enqueues an item and waits for a worker's answer."""
        kind, caller = KINDS["eval_item"], Caller(parts.name, client="eval")
        budget = ItemBudget(self.spending)
        spec = spec_of(self.inner, parts, self.llm, self.limits, lenient=self.lenient)
        async with following(kind, caller, parts.settings, parts.access, self.warn) as follower:
            await follower.leave(SPEC, spec)

            async def answer(item: Item, epoch: int) -> Answer:
                attempt = current_attempt() or Attempt(epoch, 0)
                task = {"id": item.id, "input": item.input, "epoch": epoch, "seed": attempt.seed}
                async with budget.item() as book:
                    found = await follower.answer(key_of(item, epoch), task)
                    attempt.usages.extend(Usage(**usage) for usage in found["usages"])
                    attempt.calls.extend(found["calls"])
                    book(attempt, found.get("usage", {}))
                return await _received(found, attempt)

            yield answer


def key_of(item: Item, epoch: int) -> str:
    """Return the key of an item's job, the same in every process that runs the eval."""
    return f"{sha256(item.id.encode('utf-8', 'replace')).hexdigest()[:DIGEST]}/{epoch}"


async def _received(found: dict[str, Any], attempt: Attempt) -> Answer:
    """Return a worker's answer, or raise its error."""
    if ERROR in found:
        fault = error_of(found[ERROR])
        if found.get("halts"):
            await attempt.break_off(fault)
        raise fault
    return Answer(found["output"], found["run"], found["usage"], found["latency_ms"])
