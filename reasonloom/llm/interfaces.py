"""The port every language model answers at: messages and a schema in, text and its price out.

Messages are `langchain_core.messages`, so that LangChain's tooling and tracing fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from reasonloom.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.messages import BaseMessage


REPLY_LIMIT = 100_000
"""Characters of a reply that are kept; what lies behind them is cut, and the cut is marked."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a language model.

    Attributes:
        messages: the conversation, oldest first.
        schema: a JSON Schema (draft 2020-12, type object) the answer must follow, or None.
        pipe: the name of the prompt's mode (`linear`, `got_generate`, ...), by which a
            provider of named pipes chooses one; the others ignore it.
        thread: the reasoning session's id, for providers that keep threads.
        deadline: seconds this question may take in all, retries included; None for the
            provider's own limit.
        temperature: sampling temperature, None for the provider's default.
        seed: asks a provider that can repeat itself to do so.
        sample: which of several answers to this same question is meant, from 0; simulated
            models draw by it, so that calls in any order, or again, get the same answers.
        most_tokens: tokens the answer may have, for providers that take such a limit.
        material: the variables the prompt was rendered with, by name; what a provider
            without a language model works from, never sent anywhere.
    """

    messages: Sequence[BaseMessage]
    schema: dict[str, Any] | None = None
    pipe: str | None = None
    thread: str | None = None
    deadline: float | None = None
    temperature: float | None = None
    seed: int | None = None
    sample: int = 0
    most_tokens: int | None = None
    material: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """What one answer cost.

    Attributes:
        tokens_in: tokens of the question.
        tokens_out: tokens of the answer.
        cost_usd: price in US dollars, None where nobody knows it.
        estimated: True where the tokens were counted here, not reported by the provider.
        attempts: requests sent, retries included.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    estimated: bool = False
    attempts: int = 1

    def __add__(self, other: Usage) -> Usage:
        """Return what both answers cost; without a price only if neither has one."""
        prices = [each for each in (self.cost_usd, other.cost_usd) if each is not None]
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(prices) if prices else None,
            estimated=self.estimated or other.estimated,
            attempts=self.attempts + other.attempts,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a language model.

    Attributes:
        text: the answer as it came, never blank, cut at `REPLY_LIMIT`.
        parsed: the answer as an object that follows the schema, or None where none was
            asked for or the text could not be read as one.
        model: the model that answered, as the provider names it.
        usage: tokens and price.
        truncated: True where the provider cut the answer at its length limit, or we at ours.
        off_schema: True where `text` and `parsed` were read out of JSON of another form
            (`reasonloom.llm.off_schema`).
        confidence: what such JSON gives as its confidence, 0..1.
    """

    text: str
    parsed: dict[str, Any] | None
    model: str
    usage: Usage = field(default_factory=Usage)
    truncated: bool = False
    off_schema: bool = False
    confidence: float | None = None


class LanguageModel(Protocol):
    """A provider: `name` is what the settings call it, such as `litellm:openai/gpt-5`."""

    @property
    def name(self) -> str:
        """The setting that chooses this llm; part of every run's record."""
        ...

    @property
    def offline(self) -> bool:
        """True where no language model stands behind the answers."""
        ...

    async def answer(self, ask: Ask) -> Reply:
        """Answer one question.

        Raises:
            LlmUnavailable: not reached, or no usable answer, after all attempts.
            LlmRefused: the provider answered with an error a retry cannot mend.
            TimedOut: the deadline passed.
        """
        ...

    async def close(self) -> None:
        """Release connections; the provider is not used again."""
        ...


@runtime_checkable
class Priced(Protocol):
    """A language model whose prices are known before it is asked."""

    async def prices(self) -> tuple[float, float] | None:
        """Return US dollars for one token of a prompt and of an answer, None if unknown."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors; `model` names the space they live in."""

    @property
    def model(self) -> str:
        """Name and version of the model; vectors of two models are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in one vector."""
        ...

    @property
    def floor(self) -> float:
        """The cosine below which this model's likeness means nothing, measured."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit-length vector for each text, in order.

        Raises:
            EmbedderUnavailable: the model cannot be loaded or reached.
        """
        ...

    async def close(self) -> None:
        """Release connections; the embedder is not used again."""
        ...


def usage_of(
    reported: tuple[int | None, int | None],
    texts: tuple[str, str],
    *,
    attempts: int = 1,
    cost_usd: float | None = None,
) -> Usage:
    """Return the usage as reported, or estimated where either figure is missing.

    Args:
        reported: tokens in and out as the provider told them, None where it did not.
        texts: the question and the answer, to estimate from.
        attempts: requests sent.
        cost_usd: price in US dollars, None where unknown.
    """
    tokens_in, tokens_out = reported
    estimated = tokens_in is None or tokens_out is None
    return Usage(
        tokens_in=estimate_tokens(texts[0]) if tokens_in is None else tokens_in,
        tokens_out=estimate_tokens(texts[1]) if tokens_out is None else tokens_out,
        cost_usd=cost_usd,
        estimated=estimated,
        attempts=attempts,
    )
