"""Any provider litellm supports, selected by model string: hosted, local, or a local server.

Importing litellm takes seconds, by default fetches a price table from the network, and prints
hints to stdout, which a stdio server reserves for the protocol; so it is imported lazily, with
output silenced.
"""

import asyncio
import importlib
import logging
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

from reasonloom.errors import LlmRefused
from reasonloom.llm.interfaces import Ask, Reply
from reasonloom.llm.messages import text_of, to_dicts
from reasonloom.llm.providers.callbacks import ReportedCall, reported
from reasonloom.llm.providers.faults import (
    RETRYABLE_STATUS,
    AttemptFailed,
    NoAnswer,
    failure_of_status,
)
from reasonloom.llm.providers.reply import RawReply, parse_reply, with_attempts
from reasonloom.llm.providers.response_format import (
    Form,
    FormatRefused,
    first_form,
    formatted,
    is_known_to_enforce,
    learn_refusal,
    learned_form,
    names_format,
)
from reasonloom.llm.providers.retry import RetryPolicy, call_with_retries
from reasonloom.settings import Settings

QUIET = {"num_retries": 0, "max_retries": 0, "drop_params": True}
"""Sent with every call: we retry ourselves, and unsupported parameters are dropped."""

STREAM = {"stream": True, "stream_options": {"include_usage": True}}
"""Sent where tokens are streamed; the usage then comes with the last of them, and is not lost."""

_PREFIX = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Exception|Timeout)\s*(?::|-)\s*)+")


async def load_litellm() -> Any:
    """Return the litellm module, imported in a thread on first use.

    Raises:
        LlmRefused: it cannot be imported.
    """
    try:
        return await asyncio.to_thread(_import)
    except ImportError:
        raise LlmRefused("litellm cannot be imported; reinstall reasonloom") from None


def _import() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    # Embedding calls use `max_retries or DEFAULT_MAX_RETRIES`, which treats 0 as unset.
    litellm.DEFAULT_MAX_RETRIES = 0
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


async def close_clients(litellm: Any) -> None:
    """Close litellm's pooled clients and clear its cache, so that later calls open new ones."""
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()


def translate_errors(call: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
    """Return `call` with litellm's exceptions raised as `AttemptFailed`.

    litellm raises the exceptions of `openai`; any other is an error in the request that a retry
    cannot fix. Cancellation and `TimeoutError` pass through.
    """

    async def attempt() -> Any:
        try:
            return await call()
        except TimeoutError:
            raise
        except Exception as error:  # noqa: BLE001  # litellm also raises bare ones
            raise _fault(error) from None

    return attempt


def _fault(error: Exception) -> AttemptFailed:
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        kind = type(error).__name__
        return AttemptFailed(f"litellm cannot make this call: {kind}", retryable=False)
    headers = getattr(error, "litellm_response_headers", None)
    if headers is None and status in RETRYABLE_STATUS:
        return AttemptFailed(_unanswered(status), retryable=True)
    words = _PREFIX.sub("", str(getattr(error, "message", error)))
    if names_format(status, words):
        return FormatRefused(failure_of_status(status, {}, words).reason)
    return failure_of_status(status, dict(headers or {}), words)


def _unanswered(status: int) -> str:
    """Return the reason when litellm invented a status because no HTTP response arrived."""
    return "no answer in time" if status == 408 else "connection failed or reply unreadable"  # noqa: PLR2004


def build_request(model: str, ask: Ask, form: Form) -> dict[str, Any]:
    """Return the arguments of `acompletion` for `ask`, except keys and limits."""
    wire = to_dicts(ask.messages)
    request: dict[str, Any] = {"model": model, "messages": wire}
    if ask.temperature is not None:
        request["temperature"] = ask.temperature
    if ask.seed is not None:
        request["seed"] = ask.seed
    if ask.most_tokens is not None:
        request["max_tokens"] = ask.most_tokens
    if ask.schema is not None:
        request |= formatted(wire, ask.schema, form)
    return request


SAMPLE = 1_000
"""Tokens to look up prices with: too few for long-prompt pricing to apply."""


class LitellmModel:
    """Answers through `litellm.acompletion`, which reads the key from the provider's variable."""

    offline = False

    def __init__(self, model: str, settings: Settings) -> None:
        self.name = f"litellm:{model}"
        self._model = model
        self._policy = RetryPolicy.of(settings)
        self._server = settings.llm_base_url or ""
        self._where = {"api_base": settings.llm_base_url} if settings.llm_base_url else {}
        self._litellm: Any = None
        self._streams = True

    async def check_key(self) -> None:
        """Refuse, before any call, a provider whose key is not set.

        Raises:
            LlmRefused: no variable of the provider's key is set.
        """
        self._litellm = self._litellm or await load_litellm()
        if missing := _missing_keys(self._litellm, self._model, self._where):
            raise LlmRefused(
                f"{self.name}: needs the provider's key; set {' or '.join(missing)}, or another"
                " REASONLOOM_LLM"
            )

    async def answer(self, ask: Ask) -> Reply:
        """Answer one question (see `LanguageModel`)."""
        await self.check_key()
        first = first_form(self._litellm, self._model) if ask.schema is not None else Form.WORDS
        refusals = 0

        async def attempt() -> Reply:
            nonlocal refusals
            form = learned_form(self._server, self._model, first)
            try:
                return await self._attempt(ask, form)
            except FormatRefused:
                if form is Form.WORDS:
                    raise
                refusals += 1
                learn_refusal(self._server, self._model, form)
                return await attempt()

        reply, attempts = await call_with_retries(self.name, attempt, self._policy, ask.deadline)
        return with_attempts(reply, attempts + refusals)

    async def _attempt(self, ask: Ask, form: Form) -> Reply:
        request = build_request(self._model, ask, form)
        async with reported(self.name, ask) as call:
            streamed = await self._streamed(request, call) if call.streams else None
            received = _received(streamed or await self._send(request))
            reply = parse_reply(received, ask, text_of(request["messages"]), self._model)
            call.reply = reply
        if form is Form.SCHEMA and reply.parsed is None and not reply.truncated:
            self._learn_ignored(form)
        return reply

    def _learn_ignored(self, form: Form) -> None:
        """Record that the server accepted a schema but did not enforce it."""
        if not is_known_to_enforce(self._litellm, self._model):
            learn_refusal(self._server, self._model, form)

    async def prices(self) -> tuple[float, float] | None:
        """Return US dollars per prompt token and per answer token; None for an unlisted model."""
        self._litellm = self._litellm or await load_litellm()
        try:
            prompt, completion = self._litellm.cost_per_token(
                model=self._model, prompt_tokens=SAMPLE, completion_tokens=SAMPLE
            )
        except Exception:  # noqa: BLE001  # litellm raises a bare one for a model without a price
            return None
        return prompt / SAMPLE, completion / SAMPLE

    async def _send(self, request: dict[str, Any]) -> Any:
        more = {"timeout": self._policy.request_timeout, **self._where, **QUIET}
        return await translate_errors(lambda: self._litellm.acompletion(**request, **more))()

    async def _streamed(self, request: dict[str, Any], call: ReportedCall) -> Any:
        """Return a response that was streamed, once it is whole; None from a server that cannot.

        Some refuse to stream a model to some accounts; others ignore that a stream was requested.
        """
        if not self._streams:
            return None
        try:
            stream = await self._send({**request, **STREAM})
        except AttemptFailed as fault:
            self._streams = fault.retryable or "stream" not in fault.reason.lower()
            if self._streams:
                raise
            return None

        async def read() -> None:
            async with aclosing(stream):
                async for chunk in stream:
                    for choice in chunk.choices[:1]:
                        await call.token(choice.delta.content or "")

        await translate_errors(read)()
        self._streams = bool(stream.chunks)
        return self._litellm.stream_chunk_builder(stream.chunks) if self._streams else None

    async def close(self) -> None:
        """Close litellm's connections, if any were opened."""
        if self._litellm is not None:
            await close_clients(self._litellm)


def _missing_keys(litellm: Any, model: str, where: Mapping[str, str]) -> list[str]:
    """Return the variables of which one must hold the provider's key, if none does.

    Empty for a server of one's own, and for providers that can do without: those with other ways
    to sign in lack more than keys.
    """
    if where:
        return []
    missing: list[str] = litellm.validate_environment(model)["missing_keys"]
    return missing if all(name.endswith("_API_KEY") for name in missing) else []


def _received(response: Any) -> RawReply:
    """Return the reply; litellm reports a missing count as 0.

    The price, None if unknown, is a hidden parameter of the response. Source: docs.litellm.ai,
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
    hidden = getattr(response, "_hidden_params", None)
    price = hidden.get("response_cost") if isinstance(hidden, dict) else None
    model = getattr(response, "model", None)
    if isinstance(hidden, dict):  # the model of a stream is the requested one
        model = hidden.get("provider_response_model") or model
    return RawReply(text, model, finish, (tokens_in, tokens_out), price)
