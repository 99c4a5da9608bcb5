"""Langbase pipes, called as in the published API reference.

The `langbase` package is synchronous and cannot be cancelled, so requests go through httpx; the
answer has the form of that package's `RunResponse`, whose envelope is
`{"completion": ..., "raw": {"model": ..., "usage": ..., "choices": [...]}}`. The package sends
`thread_id`, which the service ignores; the reference's name is `threadId`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from reasonloom.errors import SettingMistake
from reasonloom.llm.messages import text_of, to_dicts, with_schema
from reasonloom.llm.providers.callbacks import reported
from reasonloom.llm.providers.faults import AttemptFailed, NoAnswer, failure_of_status
from reasonloom.llm.providers.reply import RawReply, parse_reply, with_attempts
from reasonloom.llm.providers.retry import RetryPolicy, call_with_retries

if TYPE_CHECKING:
    from langbase.types import RunResponse  # type: ignore[import-untyped]

    from reasonloom.llm.interfaces import Ask, Reply
    from reasonloom.settings import Settings

RUN = "/v1/pipes/run"


class LangbaseModel:
    """Answers through the pipe configured for the question's mode."""

    name = "langbase"
    offline = False

    def __init__(self, settings: Settings) -> None:
        self._key = _usable_key(settings)
        self._url = _usable_url(settings) + RUN
        self._settings = settings
        self._policy = RetryPolicy.of(settings)
        self._client: httpx.AsyncClient | None = None

    async def answer(self, ask: Ask) -> Reply:
        """Answer one question (see `LanguageModel`)."""
        body = self._request(ask)
        question = text_of(body["messages"])

        async def attempt() -> Reply:
            async with reported(f"{self.name}:{body['name']}", ask) as call:
                received = _received(await self._send(body))
                call.reply = parse_reply(received, ask, question, body["name"])
            return call.reply

        return with_attempts(
            *await call_with_retries(self.name, attempt, self._policy, ask.deadline)
        )

    def pipe(self, mode: str | None) -> str:
        """Return the pipe for a mode (`linear`, `got_score`, ...), by default the linear one."""
        own: str = getattr(self._settings, f"pipe_{mode}", self._settings.pipe_linear)
        return own

    def _request(self, ask: Ask) -> dict[str, Any]:
        messages = to_dicts(ask.messages)
        if ask.schema is not None:
            messages = with_schema(messages, ask.schema)
        body = {"name": self.pipe(ask.pipe), "messages": messages, "stream": False}
        return body if ask.thread is None else {**body, "threadId": ask.thread}

    async def _send(self, body: dict[str, Any]) -> RunResponse:
        if self._client is None:
            self._client = httpx.AsyncClient(timeout=None)  # noqa: S113  # `call_with_retries` limits it
        headers = {"Authorization": f"Bearer {self._key}"}
        try:
            response = await self._client.post(self._url, json=body, headers=headers)
        except httpx.HTTPError:
            raise AttemptFailed("connection failed", retryable=True) from None
        if not response.is_success:
            raise failure_of_status(
                response.status_code, response.headers, response.text, (self._key,)
            )
        return _flat(response)

    async def close(self) -> None:
        """Close the connections, if any were opened."""
        if self._client is not None:
            await self._client.aclose()


def _usable_key(settings: Settings) -> str:
    secret = settings.langbase_api_key
    key = secret.get_secret_value().strip() if secret else ""
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise SettingMistake(
            "LANGBASE_API_KEY: must be set to a key of Langbase to use langbase",
            field="LANGBASE_API_KEY",
        )
    return key


def _usable_url(settings: Settings) -> str:
    url = settings.langbase_base_url.rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise SettingMistake(
            "LANGBASE_BASE_URL: must be an address such as https://api.langbase.com",
            field="LANGBASE_BASE_URL",
        )
    return url


def _flat(response: httpx.Response) -> RunResponse:
    """Return the envelope with `raw` merged in, as the package's `handle_run_response` does."""
    try:
        envelope = response.json()
    except (ValueError, RecursionError):  # not JSON, not UTF-8, or a number of 5,000 digits
        raise NoAnswer("unreadable reply") from None
    if not isinstance(envelope, dict) or "completion" not in envelope:
        raise NoAnswer("reply without a completion")
    raw = envelope.get("raw")
    flat: RunResponse = {**(raw if isinstance(raw, dict) else envelope)}
    flat["completion"] = envelope["completion"]
    return flat


def _received(envelope: RunResponse) -> RawReply:
    """Return the reply in the envelope, ignoring parts that deviate from the reference."""
    choices, usage = envelope.get("choices"), envelope.get("usage")
    choice = choices[0] if isinstance(choices, list) and choices else None
    counted = usage if isinstance(usage, dict) else {}
    return RawReply(
        text=envelope["completion"],
        model=envelope.get("model"),
        finish=choice.get("finish_reason") if isinstance(choice, dict) else None,
        tokens=(counted.get("prompt_tokens"), counted.get("completion_tokens")),
    )
