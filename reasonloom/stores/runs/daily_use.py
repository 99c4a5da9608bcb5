"""What an owner's runs of the last day have cost, and what of it holds a limit shut."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

USED = text("""
WITH day AS (
    SELECT r.created_at AS begun, sum(c.tokens_in + c.tokens_out) AS tokens,
        coalesce(sum(c.cost_usd), 0) AS usd
    FROM runs r JOIN llm_calls c ON c.owner = r.owner AND c.run_id = r.id
    WHERE r.owner = :owner AND r.created_at > :since GROUP BY r.id, r.created_at),
summed AS (
    SELECT begun, sum(tokens) OVER newest AS tokens, sum(usd) OVER newest AS usd
    FROM day WINDOW newest AS (ORDER BY begun DESC))
SELECT coalesce(max(tokens), 0), coalesce(max(usd), 0),
    max(begun) FILTER (WHERE tokens >= CAST(:tokens AS bigint)),
    max(begun) FILTER (WHERE usd >= CAST(:usd AS double precision))
FROM summed
""")
"""Sums from the newest run on: the run at which a sum reaches its limit holds it shut, and when
that one is a day old, what was begun after it is below the limit."""


class DailyUse(NamedTuple):
    """Tokens and US dollars of runs begun since a moment, as far as prices are known.

    `tokens_by` and `usd_by` are when the run began without which the limit would not be reached;
    None where it is not.
    """

    tokens: int
    usd: float
    tokens_by: datetime | None
    usd_by: datetime | None


async def used(
    tx: Transaction, since: datetime, *, tokens: int | None, usd: float | None
) -> DailyUse:
    """Return what the owner's runs begun after `since` have used, beside limits of it."""
    values = {"owner": tx.owner, "since": since, "tokens": tokens, "usd": usd}
    ((in_tokens, in_usd, tokens_by, usd_by),) = await tx.tuples(USED, values)
    return DailyUse(int(in_tokens), float(in_usd), tokens_by, usd_by)
