"""Any provider that litellm knows, by its model string: hosted ones, local ones, a local server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.llm.messages import words_of
from reasonloom.llm.providers.faults import NoAnswer
from reasonloom.llm.providers.litellm import QUIET, close_clients, load_litellm, translated
from reasonloom.llm.providers.litellm_request import request_for
from reasonloom.llm.providers.reply import Received, read_reply, with_attempts
from reasonloom.llm.providers.retry import Patience, persist

if TYPE_CHECKING:
    from reasonloom.llm.port import Ask, Reply
    from reasonloom.settings import Settings

SAMPLE = 1_000
"""Tokens of which the price is asked: so few that no price for long prompts applies."""


class LitellmModel:
    """Answers through `litellm.acompletion`; the provider's key is litellm's own variable."""

    offline = False

    def __init__(self, model: str, settings: Settings) -> None:
        self.name = f"litellm:{model}"
        self._model = model
        self._patience = Patience.of(settings)
        self._where = {"api_base": settings.llm_base_url} if settings.llm_base_url else {}
        self._litellm: Any = None

    async def answer(self, ask: Ask) -> Reply:
        """Answer one question, as the port says."""
        self._litellm = self._litellm or await load_litellm()
        request = request_for(self._litellm, self._model, ask)
        question = words_of(request["messages"])

        async def attempt() -> Reply:
            return read_reply(_received(await self._send(request)), ask, question, self._model)

        return with_attempts(*await persist(self.name, attempt, self._patience, ask.deadline))

    async def prices(self) -> tuple[float, float] | None:
        """Return what a token of a prompt and of an answer costs; None for an unlisted model."""
        self._litellm = self._litellm or await load_litellm()
        try:
            asked, answered = self._litellm.cost_per_token(
                model=self._model, prompt_tokens=SAMPLE, completion_tokens=SAMPLE
            )
        except Exception:  # noqa: BLE001  # litellm raises a bare one for a model without a price
            return None
        return asked / SAMPLE, answered / SAMPLE

    async def _send(self, request: dict[str, Any]) -> Any:
        more = {"timeout": self._patience.request_timeout, **self._where, **QUIET}
        return await translated(lambda: self._litellm.acompletion(**request, **more))()

    async def close(self) -> None:
        """Close litellm's connections, if any were opened."""
        if self._litellm is not None:
            await close_clients(self._litellm)


def _received(response: Any) -> Received:
    """Return what litellm read; a count of 0 is what it makes of none.

    litellm keeps the price, None if unknown, beside the response. Source: docs.litellm.ai,
    "Token usage and cost", `_hidden_params["response_cost"]`; unlike `completion_cost` it does
    not raise a bare Exception for a model without a price.
    """
    try:
        choice = response.choices[0]
        text, finish = choice.message.content, choice.finish_reason
    except (AttributeError, IndexError, KeyError, TypeError):
        raise NoAnswer("reply without a choice") from None
    counted = getattr(response, "usage", None)
    tokens_in = getattr(counted, "prompt_tokens", None) or None
    tokens_out = getattr(counted, "completion_tokens", None) or None
    beside = getattr(response, "_hidden_params", None)
    price = beside.get("response_cost") if isinstance(beside, dict) else None
    model = getattr(response, "model", None)
    return Received(text, model, finish, (tokens_in, tokens_out), price)
