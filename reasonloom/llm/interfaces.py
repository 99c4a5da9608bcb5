"""The interface of language models and embedders.

A language model takes messages and a schema, and returns text with its cost. Messages are
`langchain_core.messages`, so that LangChain's tooling and tracing work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from reasonloom.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.messages import BaseMessage


REPLY_LIMIT = 100_000
"""Maximum characters of a reply; the rest is cut, and the reply is marked as truncated."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to a language model.

    Attributes:
        messages: the conversation, oldest first.
        schema: a JSON Schema (draft 2020-12, type object) the answer must follow, or None.
        pipe: the prompt's mode (`linear`, `got_generate`, ...), by which a provider of named
            pipes selects one; other providers ignore it.
        thread: the reasoning session's id, for providers with threads.
        deadline: seconds allowed in all, retries included; None for the provider's own limit.
        temperature: sampling temperature, None for the provider's default.
        seed: sampling seed, for providers that support reproducible output.
        sample: index from 0 among several answers to the same question; simulated models
            derive their answer from it, so that repeated or reordered calls get the same one.
        most_tokens: maximum tokens of the answer, for providers with such a limit.
        material: the variables the prompt was rendered with, by name; used by the offline
            provider, never sent anywhere.
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
    """Tokens and cost of one answer.

    Attributes:
        tokens_in: tokens of the question.
        tokens_out: tokens of the answer.
        cost_usd: price in US dollars, None if unknown.
        estimated: True if tokens were estimated locally, not reported by the provider.
        attempts: requests sent, retries included.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    estimated: bool = False
    attempts: int = 1

    def __add__(self, other: Usage) -> Usage:
        """Return the combined usage; the price is None only if neither has one."""
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
        text: the answer as received, never blank, cut at `REPLY_LIMIT`.
        parsed: the answer as an object that follows the schema, or None if no schema was
            given or the text could not be parsed.
        model: the model that answered, as the provider names it.
        usage: tokens and price.
        truncated: True if the answer was cut at the provider's length limit or at ours.
        off_schema: True if `text` and `parsed` were extracted from JSON of another form
            (`reasonloom.llm.off_schema`).
        confidence: the confidence given in such JSON, 0..1.
    """

    text: str
    parsed: dict[str, Any] | None
    model: str
    usage: Usage = field(default_factory=Usage)
    truncated: bool = False
    off_schema: bool = False
    confidence: float | None = None


class LanguageModel(Protocol):
    """A provider of a language model."""

    @property
    def name(self) -> str:
        """The setting that selects this model, such as `litellm:openai/gpt-5`; stored with runs."""
        ...

    @property
    def offline(self) -> bool:
        """True if answers are produced without a language model."""
        ...

    async def answer(self, ask: Ask) -> Reply:
        """Answer one question.

        Raises:
            LlmUnavailable: all attempts failed or brought no usable answer.
            LlmRefused: the provider returned an error that a retry cannot fix.
            TimedOut: the deadline passed.
        """
        ...

    async def close(self) -> None:
        """Release connections; the provider is not used again."""
        ...


@runtime_checkable
class Priced(Protocol):
    """A language model whose prices are known in advance."""

    async def prices(self) -> tuple[float, float] | None:
        """Return US dollars per prompt token and per answer token, None if unknown."""
        ...


@runtime_checkable
class Keyed(Protocol):
    """A language model that needs a key of its provider."""

    async def check_key(self) -> None:
        """Raise LlmRefused if the key is not set; makes no call."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors; `model` identifies their vector space."""

    @property
    def model(self) -> str:
        """Name and version of the model; vectors of two models are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Dimension of the vectors."""
        ...

    @property
    def floor(self) -> float:
        """The measured cosine below which this model's similarity is meaningless."""
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
    """Return the usage as reported, with missing token counts estimated.

    Args:
        reported: tokens in and out as the provider reported them, None if it did not.
        texts: the question and the answer, to estimate from.
        attempts: requests sent.
        cost_usd: price in US dollars, None if unknown.
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
