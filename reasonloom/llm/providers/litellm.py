"""Any provider that litellm knows, by its model string: hosted, local, or a local server.

Importing litellm takes seconds, by default fetches a price table from the network, and prints
hints to stdout, which belongs to the protocol of a stdio server: it is loaded late and quietly.
"""

import asyncio
import importlib
import logging
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from reasonloom.errors import LlmRefused
from reasonloom.llm.interfaces import Ask, Reply
from reasonloom.llm.messages import text_of, to_dicts, with_schema
from reasonloom.llm.providers.faults import (
    RETRYABLE_STATUS,
    AttemptFailed,
    NoAnswer,
    failure_of_status,
)
from reasonloom.llm.providers.reply import RawReply, parse_reply, with_attempts
from reasonloom.llm.providers.retry import RetryPolicy, call_with_retries
from reasonloom.settings import Settings

QUIET = {"num_retries": 0, "max_retries": 0, "drop_params": True}
"""Sent with every call: we retry ourselves, and unsupported parameters are dropped."""

_PREFIX = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Exception|Timeout)\s*(?::|-)\s*)+")


async def load_litellm() -> Any:
    """Return the module litellm, imported in a thread on first use.

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
    # An embedding call reads `max_retries or DEFAULT_MAX_RETRIES`, and so takes a 0 for unset.
    litellm.DEFAULT_MAX_RETRIES = 0
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


async def close_clients(litellm: Any) -> None:
    """Close litellm's pooled connections and forget them, so that a later call opens new ones."""
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()


def translate_errors(call: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
    """Return `call` with litellm's exceptions raised as `AttemptFailed`.

    litellm raises the exceptions of `openai`; all others are faults of the request that no retry
    fixes. Cancellation passes through.
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
    return failure_of_status(status, dict(headers or {}), words)


def _unanswered(status: int) -> str:
    """Return the reason where litellm made up a status because no HTTP response came."""
    return "no answer in time" if status == 408 else "connection failed or reply unreadable"  # noqa: PLR2004


_STRICT_WORDS = (
    "type properties required additionalProperties items enum const anyOf $ref $defs title "
    "description pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
    "minItems maxItems"
)
_ANCHORED = re.compile(r"\^.*\$", re.S)
_STRICT = frozenset(_STRICT_WORDS.split())
"""Keywords of OpenAI's strict mode (its guide to structured outputs)."""


def build_request(litellm: Any, model: str, ask: Ask) -> dict[str, Any]:
    """Return the arguments of `acompletion` for `ask`, all but keys and limits."""
    wire = to_dicts(ask.messages)
    request: dict[str, Any] = {"model": model, "messages": wire}
    if ask.temperature is not None:
        request["temperature"] = ask.temperature
    if ask.seed is not None:
        request["seed"] = ask.seed
    if ask.most_tokens is not None:
        request["max_tokens"] = ask.most_tokens
    if ask.schema is not None:
        request |= _form(litellm, model, wire, ask.schema)
    return request


def _form(
    litellm: Any, model: str, wire: list[dict[str, Any]], schema: dict[str, Any]
) -> dict[str, Any]:
    if litellm.supports_response_schema(model=model):
        held = enforceable(schema)
        named = {"name": "answer", "schema": held, "strict": is_strict(held)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    messages = {"messages": with_schema(wire, schema)}
    if "response_format" in (litellm.get_supported_openai_params(model=model) or ()):
        return {**messages, "response_format": {"type": "json_object"}}
    return messages


def enforceable(schema: Any) -> Any:
    """Return `schema` without the bounds that providers cannot enforce.

    OpenAI's strict mode takes no lengths and no optional properties, and servers that make a
    grammar of the schema (llama.cpp) no pattern without anchors. What is left out is still checked
    in the reply.
    """
    if not isinstance(schema, dict):
        return schema
    kept = {key: part for key, part in schema.items() if key not in ("minLength", "maxLength")}
    if not _ANCHORED.fullmatch(str(kept.get("pattern", "^$"))):
        del kept["pattern"]
    for key in ("properties", "$defs"):
        if isinstance(kept.get(key), dict):
            kept[key] = {name: enforceable(part) for name, part in kept[key].items()}
    if kept.get("additionalProperties") is False:
        kept["required"] = [*kept.get("properties", {})]
    if isinstance(kept.get("anyOf"), list):
        kept["anyOf"] = [enforceable(part) for part in kept["anyOf"]]
    return kept | {"items": enforceable(kept["items"])} if "items" in kept else kept


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether a provider's strict mode takes `schema`: closed objects, all required."""
    if not _STRICT.issuperset(schema):
        return False
    names = schema.get("properties", {})
    if "properties" in schema or schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(names):
            return False
    parts = [*names.values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    parts += [schema["items"]] if "items" in schema else []
    return all(isinstance(part, dict) and is_strict(part) for part in parts)


SAMPLE = 1_000
"""Tokens whose price is looked up: so few that no price for long prompts applies."""


class LitellmModel:
    """Answers through `litellm.acompletion`; the provider's key is litellm's own variable."""

    offline = False

    def __init__(self, model: str, settings: Settings) -> None:
        self.name = f"litellm:{model}"
        self._model = model
        self._policy = RetryPolicy.of(settings)
        self._where = {"api_base": settings.llm_base_url} if settings.llm_base_url else {}
        self._litellm: Any = None

    async def answer(self, ask: Ask) -> Reply:
        """Answer one question (see `LanguageModel`)."""
        self._litellm = self._litellm or await load_litellm()
        request = build_request(self._litellm, self._model, ask)
        question = text_of(request["messages"])

        async def attempt() -> Reply:
            return parse_reply(_received(await self._send(request)), ask, question, self._model)

        return with_attempts(
            *await call_with_retries(self.name, attempt, self._policy, ask.deadline)
        )

    async def prices(self) -> tuple[float, float] | None:
        """Return what a token of a prompt and of an answer costs; None for an unlisted model."""
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

    async def close(self) -> None:
        """Close litellm's connections, if any were opened."""
        if self._litellm is not None:
            await close_clients(self._litellm)


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
    return RawReply(text, model, finish, (tokens_in, tokens_out), price)
