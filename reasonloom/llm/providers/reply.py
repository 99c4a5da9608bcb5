"""Turns a provider's response into a reply that can be stored, or a failure with its cause.

Providers send empty and endless texts, names with NUL and counts beyond any column; all of that is
handled here, before a reply is recorded.
"""

import math
from dataclasses import dataclass, replace

from reasonloom.llm.interfaces import REPLY_LIMIT, Ask, Reply, Usage, usage_of
from reasonloom.llm.providers.faults import NoAnswer
from reasonloom.llm.structured_output import read_object, says_nothing, storable

MODEL_LIMIT = 200
"""Maximum characters stored of a model's name."""

MAX_TOKENS = 2**30 - 1
"""Largest plausible token count: the sum of two still fits a 4-byte column."""

_CAUSES = {
    "length": ", cut at the length limit before it began",
    "content_filter": ", held back by the provider's filter",
    "tool_calls": ", only calls of tools",
    "function_call": ", only calls of tools",
}


@dataclass(frozen=True, slots=True)
class RawReply:
    """A reply before validation, hence the `object` types.

    Attributes:
        text, model, finish: the answer, its model's name, and its finish reason.
        tokens: tokens of the question and of the answer.
        price: US dollars.
    """

    text: object
    model: object = None
    finish: object = None
    tokens: tuple[object, object] = (None, None)
    price: object = None


def parse_reply(raw: RawReply, ask: Ask, question: str, model: str) -> Reply:
    """Return the validated reply of one attempt, cleaned and cut.

    Args:
        raw: the reply as received.
        ask: the question, for its schema.
        question: its text, to estimate tokens from.
        model: the model's name if the reply has none.

    Raises:
        NoAnswer: the text is missing, blank, or an object without any text in it.
    """
    if raw.text is not None and not isinstance(raw.text, str):
        raise NoAnswer("unreadable reply")
    whole = storable(raw.text or "")
    text = whole[:REPLY_LIMIT]
    parsed = read_object(text, ask.schema) if ask.schema is not None else None
    if not text.strip() or (ask.schema is not None and parsed is None and says_nothing(text)):
        raise NoAnswer("empty reply" + _cause(raw.finish))
    return Reply(
        text=text,
        parsed=parsed,
        model=_name(raw.model) or model,
        usage=_usage(raw, (question, text)),
        truncated=raw.finish == "length" or len(whole) > REPLY_LIMIT,
    )


def with_attempts(reply: Reply, attempts: int) -> Reply:
    """Return the reply with its number of attempts set."""
    return replace(reply, usage=replace(reply.usage, attempts=attempts))


def _cause(finish: object) -> str:
    return _CAUSES.get(finish, "") if isinstance(finish, str) else ""


def _name(model: object) -> str:
    return storable(model).strip()[:MODEL_LIMIT] if isinstance(model, str) else ""


def _usage(raw: RawReply, texts: tuple[str, str]) -> Usage:
    """Return tokens and price; a price based on an implausible count is dropped."""
    counts = (_count(raw.tokens[0]), _count(raw.tokens[1]))
    doubted = any(
        reported is not None and count is None
        for reported, count in zip(raw.tokens, counts, strict=True)
    )
    return usage_of(counts, texts, cost_usd=None if doubted else _price(raw.price))


def _count(value: object) -> int | None:
    """Return the token count if it is plausible, else None."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MAX_TOKENS else None


def _price(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None
