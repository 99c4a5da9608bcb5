"""Runs plans of operations with a language model and meters the usage of its calls."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.errors import LlmUnavailable
from reasonloom.evals.suites.reasoning.orchestration.catalog import Result
from reasonloom.llm.interfaces import Ask, LanguageModel, Usage
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.outcome import outcome
from reasonloom.nodes.thought_graph.operations.outcome import run_plan as outcome_run_plan
from reasonloom.nodes.thought_graph.operations.questions import question_for, read_answer
from reasonloom.nodes.thought_graph.operations.state import Thought
from reasonloom.nodes.thought_graph.operations.task import Task
from reasonloom.prompts.registry import PromptRegistry

PROMPTS = PromptRegistry()


@dataclass(slots=True)
class MeteredModel:
    """Calls a language model with packaged prompts and records usage in order of completion."""

    llm: LanguageModel
    usages: list[Usage] = field(default_factory=list)

    async def ask(self, prompt: str, *, sample: int = 0, **variables: object) -> dict[str, Any]:
        """Return the reply as an object of the prompt's schema; LlmUnavailable if it is not one."""
        rendered = PROMPTS.get(prompt).render(**variables)
        reply = await self.llm.answer(
            Ask(messages=rendered.messages(), schema=rendered.schema, sample=sample)
        )
        self.usages.append(reply.usage)
        if reply.parsed is None:
            raise LlmUnavailable(f"the language model answered: {reply.text[:120]}")
        return reply.parsed

    @property
    def usd(self) -> float:
        """US dollars so far; exactly the same for any order of replies."""
        return fsum(usage.cost_usd or 0.0 for usage in self.usages)

    def result(self, score: float, **also: float) -> Result:
        """Return a score with the total usage."""
        return Result(
            score=score,
            calls=len(self.usages),
            tokens_in=sum(usage.tokens_in for usage in self.usages),
            tokens_out=sum(usage.tokens_out for usage in self.usages),
            usd=self.usd,
            also=also,
        )


@dataclass(frozen=True, slots=True)
class PlanRunner:
    """Executes the orders of a plan with the prompts of its task."""

    task: Task
    meter: MeteredModel

    async def __call__(self, order: Order) -> dict[str, Any]:
        """Return an order's result with its tokens and cost in US dollars."""
        words = question_for(self.task, order)
        answer = await self.meter.ask(words.prompt, sample=order["sample"], **words.variables)
        usage = self.meter.usages[-1]  # this call's usage, because no other call completed since
        return {
            **read_answer(self.task, order, answer, ""),
            "tokens": usage.tokens_in + usage.tokens_out,
            "usd": usage.cost_usd or 0.0,
        }


async def run_plan(
    plan: Plan, problem: str, task: Task, llm: LanguageModel, measure: Callable[[Thought], float]
) -> Result:
    """Run a plan on a problem; the score is `measure` of its best thought.

    `solved` is 1 if the score is 0, `samples` the number of answers drawn, and `faults` the number
    of failed operations.
    """
    meter = MeteredModel(llm)
    state = await outcome_run_plan(plan, problem, task, PlanRunner(task, meter))
    came = outcome(state)
    if came["best"] is None:
        raise RuntimeError(f"the plan produced no thought: {came['faults']}")
    score, samples = measure(came["best"]), sum(state["drawn"].values())
    return meter.result(score, solved=score == 0, samples=samples, faults=len(came["faults"]))
