"""What a job needs and what it yields: items of the owner, which jobs name by their keys.

Contents stay in the owner's rows, behind row-level security; the queue holds only the ids.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import items
from reasonloom.stores.statements import load

SQL = load(__file__)
TASK, ANSWER = "task", "answer"
WEEK = 7 * 24 * 60.0
"""Minutes until what nobody collects is deleted."""


async def put(tx: Transaction, kind: str, part: str, key: str, value: Any, at: datetime) -> None:
    """Store a job's task or its answer, a JSON value."""
    await items.put(
        tx, ("job", kind, part), key, json.dumps(value, default=str),
        memory_id=None, ttl=WEEK, created_at=at, at=at,
    )  # fmt: skip


async def get(tx: Transaction, kind: str, keys: Sequence[str]) -> Mapping[tuple[str, str], Any]:
    """Return tasks and answers of a kind of job, by part and key, as far as there are any."""
    values = {"kind": ["job", kind], "keys": list(keys)}
    return {(part, key): value for part, key, value in await tx.tuples(SQL.get, values)}


async def answers(tx: Transaction, kind: str, keys: Sequence[str]) -> dict[str, Any]:
    """Return the answers among these keys."""
    values = {"namespace": ["job", kind, ANSWER], "keys": list(keys)}
    return dict(await tx.tuples(SQL.answers, values))


async def drop(tx: Transaction, kind: str, keys: Sequence[str]) -> None:
    """Delete the tasks and answers of these keys."""
    await tx.run(SQL.drop, {"kind": ["job", kind], "keys": list(keys)})
