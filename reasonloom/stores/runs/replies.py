"""Recorded replies of language models: stored before use, so that each is paid for once."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import columns, load, parameters, values_of


@dataclass(frozen=True, slots=True)
class CallKey:
    """Identifies a call of a run: the node, the task within it, and its count."""

    run_id: UUID
    node: str
    task: str
    n: int


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call with its reply; `reply` holds text, parsed value and truncation, and in its row
    also what `keep_found` adds.

    `messages` is the rendered prompt, each message with its role and content.
    """

    key: CallKey
    prompt: str
    prompt_version: int
    prompt_hash: str
    llm: str
    model: str
    reply: dict[str, Any]
    tokens_in: int
    tokens_out: int
    tokens_estimated: bool
    cost_usd: float | None
    attempts: int
    latency_ms: float
    messages: list[dict[str, str]]


SQL = load(
    __file__,
    key=columns(CallKey),
    key_parameters=parameters(CallKey),
    reply=columns(RecordedCall, without=("key",)),
    reply_parameters=parameters(RecordedCall, without=("key",)),
)


async def record(tx: Transaction, call: RecordedCall) -> dict[str, Any]:
    """Record a reply; return the recorded one: the first reply for a key wins."""
    row = await tx.first(SQL.record, {**values_of(call.key), **values_of(call)})
    return row._asdict() if row else {}


async def recorded(tx: Transaction, key: CallKey) -> dict[str, Any] | None:
    """Return the recorded reply of `key` with its model and usage, or None."""
    row = await tx.first(SQL.find, values_of(key))
    return row._asdict() if row else None


async def keep_found(tx: Transaction, key: CallKey, found: dict[str, Any]) -> dict[str, Any] | None:
    """Record the lookup results for a recorded reply; return the recorded ones.

    The first results win. None if there is no such reply (any more).
    """
    row = await tx.first(SQL.keep_found, {**values_of(key), "found": found})
    return dict(row.found) if row else None


async def find_found(tx: Transaction, key: CallKey) -> dict[str, Any] | None:
    """Return the lookup results for a recorded reply, or None if none are recorded."""
    row = await tx.first(SQL.find_found, values_of(key))
    return dict(row.found) if row and row.found is not None else None
