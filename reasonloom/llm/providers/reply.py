"""Makes what a provider sent one reply that can be kept, or a fault that says why it is none.

Providers answer with empty texts, endless ones, names with NUL and counts that no column holds;
whatever is wrong with a reply is found here, before it is recorded, once for every provider.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasonloom.llm.port import REPLY_LIMIT, Reply, Usage, usage_of
from reasonloom.llm.providers.faults import NoAnswer
from reasonloom.llm.structured_output import read_object, says_nothing, storable

if TYPE_CHECKING:
    from reasonloom.llm.port import Ask

MODEL_LIMIT = 200
"""Characters of a model's name that are kept."""

MAX_TOKENS = 2**30 - 1
"""Tokens of one side of a call that are believed: two such still fit the column's 4 bytes."""

_CAUSES = {
    "length": ", cut at the length limit before it began",
    "content_filter": ", held back by the provider's filter",
    "tool_calls": ", only calls of tools",
    "function_call": ", only calls of tools",
}


@dataclass(frozen=True, slots=True)
class RawReply:
    """What a reply says of itself; nothing of it is believed yet, hence `object`.

    Attributes:
        text, model, finish: the answer, its model's name, and why it ended.
        tokens: those of the question and of the answer.
        price: US dollars.
    """

    text: object
    model: object = None
    finish: object = None
    tokens: tuple[object, object] = (None, None)
    price: object = None


def parse_reply(received: RawReply, ask: Ask, question: str, asked: str) -> Reply:
    """Return the reply, cleaned and cut, as the answer to one attempt.

    Args:
        received: what came.
        ask: the question, for its schema.
        question: its words, to estimate tokens from.
        asked: the model's name where the reply has none.

    Raises:
        NoAnswer: it holds no text, or none but blanks.
    """
    if received.text is not None and not isinstance(received.text, str):
        raise NoAnswer("unreadable reply")
    whole = storable(received.text or "")
    text = whole[:REPLY_LIMIT]
    parsed = read_object(text, ask.schema) if ask.schema is not None else None
    if not text.strip() or (ask.schema is not None and parsed is None and says_nothing(text)):
        raise NoAnswer("empty reply" + _cause(received.finish))
    return Reply(
        text=text,
        parsed=parsed,
        model=_name(received.model) or asked,
        usage=_usage(received, (question, text)),
        truncated=received.finish == "length" or len(whole) > REPLY_LIMIT,
    )


def with_attempts(reply: Reply, attempts: int) -> Reply:
    """Return the reply with the number of requests it took."""
    return replace(reply, usage=replace(reply.usage, attempts=attempts))


def _cause(finish: object) -> str:
    return _CAUSES.get(finish, "") if isinstance(finish, str) else ""


def _name(model: object) -> str:
    return storable(model).strip()[:MODEL_LIMIT] if isinstance(model, str) else ""


def _usage(received: RawReply, texts: tuple[str, str]) -> Usage:
    """Return tokens and price; a price that was made from a count not believed is none."""
    counts = (_count(received.tokens[0]), _count(received.tokens[1]))
    doubted = any(
        told is not None and count is None
        for told, count in zip(received.tokens, counts, strict=True)
    )
    return usage_of(counts, texts, cost_usd=None if doubted else _price(received.price))


def _count(value: object) -> int | None:
    """Return a count of tokens, None for what is none; a truth value is no count."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MAX_TOKENS else None


def _price(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None
