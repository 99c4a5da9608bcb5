"""A language model that writes down what it charges, whoever asks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Any

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.errors import LlmUnavailable
from reasonloom.evals.suites.reasoning.orchestration.catalog import Result
from reasonloom.llm.port import Ask, LanguageModel
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.outcome import outcome
from reasonloom.nodes.thought_graph.operations.outcome import run_plan as outcome_run_plan
from reasonloom.nodes.thought_graph.operations.questions import question_for, read_answer
from reasonloom.nodes.thought_graph.operations.state import Thought
from reasonloom.nodes.thought_graph.operations.task import Task
from reasonloom.prompts.registry import PromptRegistry

if TYPE_CHECKING:
    from reasonloom.llm.port import LanguageModel, Reply, Usage
    from reasonloom.prompts.registry import PromptRegistry


@dataclass(slots=True)
class MeteredModel:
    """Asks a language model with packaged prompts, and keeps what each answer cost.

    Attributes:
        llm: whom it asks, at the port.
        prompts: where the prompts come from.
        usages: what the answers cost, in the order in which they came.
    """

    llm: LanguageModel
    prompts: PromptRegistry
    usages: list[Usage] = field(default_factory=list)

    async def ask(self, prompt: str, *, sample: int = 0, **variables: object) -> dict[str, Any]:
        """Return the answer to a prompt as an object that follows the prompt's schema.

        Raises:
            LlmUnavailable: what came is no such object.
        """
        rendered = self.prompts.get(prompt).render(**variables)
        reply = await self.llm.answer(
            Ask(messages=rendered.messages(), schema=rendered.schema, sample=sample)
        )
        self.usages.append(reply.usage)
        return _parsed(reply)

    @property
    def usd(self) -> float:
        """US dollars so far; the same to the last bit in whatever order answers came."""
        return fsum(usage.cost_usd or 0.0 for usage in self.usages)

    def result(self, score: float, **also: float) -> Result:
        """Return a score with all that was charged for it."""
        return Result(
            score=score,
            calls=len(self.usages),
            tokens_in=sum(usage.tokens_in for usage in self.usages),
            tokens_out=sum(usage.tokens_out for usage in self.usages),
            usd=self.usd,
            also=also,
        )


def _parsed(reply: Reply) -> dict[str, Any]:
    if reply.parsed is None:
        raise LlmUnavailable(f"the language model answered: {reply.text[:120]}")
    return reply.parsed


PROMPTS = PromptRegistry()


@dataclass(frozen=True, slots=True)
class PlanRunner:
    """Asks what the orders of a plan want.

    Attributes:
        task: whose questions these are.
        meter: whom it asks.
    """

    task: Task
    meter: MeteredModel

    async def __call__(self, order: Order) -> dict[str, Any]:
        """Return what came of an order, with its tokens and its price in US dollars."""
        words = question_for(self.task, order)
        said = await self.meter.ask(words.prompt, sample=order["sample"], **words.variables)
        usage = self.meter.usages[-1]  # this answer's: nothing else ran since it came
        return {
            **read_answer(self.task, order, said, ""),
            "tokens": usage.tokens_in + usage.tokens_out,
            "usd": usage.cost_usd or 0.0,
        }


async def run_plan(
    plan: Plan, problem: str, task: Task, llm: LanguageModel, measure: Callable[[Thought], float]
) -> Result:
    """Return what a plan makes of a problem: `measure` of its best thought, and the bill.

    Beside them, `solved` is 1 where the measure is 0, `samples` are the answers asked for, and
    `faults` the operations of which something went wrong.

    Raises:
        RuntimeError: nothing came at all.
    """
    meter = MeteredModel(llm, PROMPTS)
    state = await outcome_run_plan(plan, problem, task, PlanRunner(task, meter))
    came = outcome(state)
    if came["best"] is None:
        raise RuntimeError(f"the plan brought no thought: {came['faults']}")
    score, samples = measure(came["best"]), sum(state["drawn"].values())
    return meter.result(score, solved=score == 0, samples=samples, faults=len(came["faults"]))
