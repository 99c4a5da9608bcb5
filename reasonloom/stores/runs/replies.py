"""Recorded replies of language models: written before they are used, so paid once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB

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
    """One call with its reply; `reply` holds text, parsed value and truncation.

    `messages` is the rendered prompt, each with its role and content.
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


KEY = ("run_id", "node", "task", "n")
REST = (
    "prompt", "prompt_version", "prompt_hash", "llm", "model", "reply", "tokens_in",
    "tokens_out", "tokens_estimated", "cost_usd", "attempts", "latency_ms", "messages",
)  # fmt: skip
USED = "reply, model, tokens_in, tokens_out, tokens_estimated, cost_usd, attempts"
COLUMNS = ("owner", *KEY, *REST)
RECORD = text(
    f"INSERT INTO llm_calls ({', '.join(COLUMNS)}) "  # noqa: S608 - names of columns, no values
    f"VALUES ({', '.join(':' + name for name in COLUMNS)}) "
    f"ON CONFLICT (owner, {', '.join(KEY)}) DO UPDATE SET n = excluded.n RETURNING "
    + ", ".join(f"llm_calls.{name}" for name in USED.split(", "))
).bindparams(
    *(bindparam(name, type_=JSONB) for name in ("reply", "messages")),
    bindparam("run_id", type_=Uuid),
)
FIND = text(
    f"SELECT {USED} FROM llm_calls WHERE owner = :owner AND "  # noqa: S608
    + " AND ".join(f"{name} = :{name}" for name in KEY)
).bindparams(bindparam("run_id", type_=Uuid))


async def record(tx: Transaction, call: RecordedCall) -> dict[str, Any]:
    """Record a reply and return what is recorded now: the first one of a key stands."""
    values = {name: getattr(call.key, name) for name in KEY}
    values |= {name: getattr(call, name) for name in REST}
    row = await tx.first(RECORD, {"owner": tx.owner, **values})
    return dict(row._mapping) if row else {}


async def recorded(tx: Transaction, key: CallKey) -> dict[str, Any] | None:
    """Return the reply that `key` got before, with its model and usage, or None."""
    values = {name: getattr(key, name) for name in KEY}
    row = await tx.first(FIND, {"owner": tx.owner, **values})
    return dict(row._mapping) if row else None
