"""A language model that writes down what it charges, whoever asks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Any

from reasonloom.errors import LlmUnavailable
from reasonloom.evals.suites.reasoning.orchestration.catalog import Result
from reasonloom.llm.port import Ask

if TYPE_CHECKING:
    from reasonloom.llm.port import LanguageModel, Reply, Usage
    from reasonloom.prompts.registry import PromptRegistry


@dataclass(slots=True)
class Meter:
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
