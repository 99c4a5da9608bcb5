"""Carries a plan of operations out with one language model, and keeps the bill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.evals.suites.reasoning.orchestration.catalog import Result
from reasonloom.evals.suites.reasoning.orchestration.metering import Meter
from reasonloom.llm.port import LanguageModel
from reasonloom.nodes.thought_graph.operations.drive import drive
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.outcome import outcome
from reasonloom.nodes.thought_graph.operations.questions import result, wording
from reasonloom.nodes.thought_graph.operations.state import Thought
from reasonloom.nodes.thought_graph.operations.task import Task
from reasonloom.prompts.registry import PromptRegistry

PROMPTS = PromptRegistry()


@dataclass(frozen=True, slots=True)
class Carrier:
    """Asks what the orders of a plan want.

    Attributes:
        task: whose questions these are.
        meter: whom it asks.
    """

    task: Task
    meter: Meter

    async def __call__(self, order: Order) -> dict[str, Any]:
        """Return what came of an order, with its tokens and its price in US dollars."""
        words = wording(self.task, order)
        said = await self.meter.ask(words.prompt, sample=order["sample"], **words.variables)
        usage = self.meter.usages[-1]  # this answer's: nothing else ran since it came
        return {
            **result(self.task, order, said, ""),
            "tokens": usage.tokens_in + usage.tokens_out,
            "usd": usage.cost_usd or 0.0,
        }


async def carried_out(
    plan: Plan, problem: str, task: Task, llm: LanguageModel, measure: Callable[[Thought], float]
) -> Result:
    """Return what a plan makes of a problem: `measure` of its best thought, and the bill.

    Beside them, `solved` is 1 where the measure is 0, `samples` are the answers asked for, and
    `faults` the operations of which something went wrong.

    Raises:
        RuntimeError: nothing came at all.
    """
    meter = Meter(llm, PROMPTS)
    state = await drive(plan, problem, task, Carrier(task, meter))
    came = outcome(state)
    if came["best"] is None:
        raise RuntimeError(f"the plan brought no thought: {came['faults']}")
    score, samples = measure(came["best"]), sum(state["drawn"].values())
    return meter.result(score, solved=score == 0, samples=samples, faults=len(came["faults"]))
