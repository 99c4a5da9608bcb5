"""Any provider that litellm knows, by its model string: hosted ones, local ones, a local server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.llm.faults import AttemptFailed
from reasonloom.llm.litellm_gateway import QUIET, close_clients, load_litellm, translated
from reasonloom.llm.litellm_request import request_for
from reasonloom.llm.port import Ask, Reply, Usage
from reasonloom.llm.retry import Patience, persist
from reasonloom.llm.structured import read_object, storable
from reasonloom.llm.tokens import usage_of
from reasonloom.llm.wire import words_of

if TYPE_CHECKING:
    from reasonloom.settings import Settings


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
        response, attempts = await persist(
            self.name, lambda: self._send(request), self._patience, ask.deadline
        )
        return _reply(response, ask, words_of(request["messages"]), attempts)

    async def _send(self, request: dict[str, Any]) -> Any:
        more = {"timeout": self._patience.request_timeout, **self._where, **QUIET}
        response = await translated(lambda: self._litellm.acompletion(**request, **more))()
        if not response.choices:
            raise AttemptFailed("reply without a choice", retryable=True)
        return response

    async def close(self) -> None:
        """Close litellm's connections, if any were opened."""
        if self._litellm is not None:
            await close_clients(self._litellm)


def _reply(response: Any, ask: Ask, question: str, attempts: int) -> Reply:
    choice = response.choices[0]
    text = storable(choice.message.content or "")
    return Reply(
        text=text,
        parsed=read_object(text, ask.schema) if ask.schema is not None else None,
        model=str(response.model),
        usage=_usage(response, question, text, attempts),
        truncated=choice.finish_reason == "length",
    )


def _usage(response: Any, question: str, text: str, attempts: int) -> Usage:
    """Return tokens and price; litellm keeps the price, None if unknown, beside the response.

    Source: docs.litellm.ai, "Token usage and cost", `_hidden_params["response_cost"]`; unlike
    `completion_cost` it does not raise a bare Exception for a model without a price.
    """
    counted = getattr(response, "usage", None)
    reported = (
        getattr(counted, "prompt_tokens", None) or None,
        getattr(counted, "completion_tokens", None) or None,
    )
    price = getattr(response, "_hidden_params", {}).get("response_cost")
    return usage_of(reported, (question, text), attempts=attempts, cost_usd=price)
