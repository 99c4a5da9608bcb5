"""The one door to litellm: loaded late and quietly, its faults told in our own words.

Importing litellm takes seconds and, unless told otherwise, fetches a price table from the
network; it also prints hints to stdout, which belongs to the protocol of a stdio server.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import re
from typing import TYPE_CHECKING, Any

from reasonloom.errors import LlmRefused
from reasonloom.llm.providers.faults import RETRYABLE_STATUS, AttemptFailed, refused_or_busy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

QUIET = {"num_retries": 0, "max_retries": 0, "drop_params": True}
"""Sent with every call: retries are ours, and what a model does not know is left out."""

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


def translated(call: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
    """Return `call` raising `AttemptFailed` where litellm raises its own exceptions.

    litellm's exceptions are those of `openai`; what it raises beside them is a fault of the
    request that no retry mends. Cancellation is no `Exception` and passes.
    """

    async def attempt() -> Any:
        try:
            return await call()
        except TimeoutError:
            raise
        except Exception as error:  # noqa: BLE001  # litellm raises bare ones; all are typed here
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
    return refused_or_busy(status, dict(headers or {}), words)


def _unanswered(status: int) -> str:
    """Say what happened where litellm made `status` up because no answer of HTTP came."""
    return "no answer in time" if status == 408 else "connection failed or reply unreadable"  # noqa: PLR2004
