"""Recorded replies of language models: written before they are used, so paid once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as upsert

from reasonloom.stores.tables import LlmCall

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class CallKey:
    """Names one call of a run: the node, the task within it, and its count."""

    run_id: UUID
    node: str
    task: str
    n: int


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call with its reply; `reply` holds text, parsed value and truncation."""

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


async def record(tx: Transaction, call: RecordedCall) -> None:
    """Record a reply; the first one of a key stands."""
    key = {name: getattr(call.key, name) for name in CallKey.__slots__}
    rest = {name: getattr(call, name) for name in RecordedCall.__slots__ if name != "key"}
    await tx.run(upsert(LlmCall).values(owner=tx.owner, **key, **rest).on_conflict_do_nothing())


async def recorded(tx: Transaction, key: CallKey) -> dict[str, Any] | None:
    """Return the reply that `key` got before, with its llm, model and usage, or None."""
    row = await tx.first(
        select(
            LlmCall.reply, LlmCall.model, LlmCall.tokens_in, LlmCall.tokens_out,
            LlmCall.tokens_estimated, LlmCall.cost_usd, LlmCall.attempts,
        ).where(
            LlmCall.owner == tx.owner,
            LlmCall.run_id == key.run_id,
            LlmCall.node == key.node,
            LlmCall.task == key.task,
            LlmCall.n == key.n,
        )
    )  # fmt: skip
    return dict(row._mapping) if row else None
