"""Refuses calls of an owner whose daily token or cost limit is used up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reasonloom.errors import BudgetExceeded

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.runs.runs import DailyUse


class DailyLimit(BudgetExceeded):
    """The owner has used up the daily tokens or cost; the same call can succeed later."""

    retryable = True


# Use is summed from the database, so the limit holds across replicas and restarts. Runs in progress
# when the limit is reached continue, each within its own budget.

DAY = timedelta(days=1)


async def require_daily_credit(
    engine: Engine, caller: Caller, tool: str, key: str | None, *, asks_caller: bool = False
) -> None:
    """Require that the owner has daily credit left, or that the idempotency key has a run already.

    Raises:
        DailyLimit: nothing is left; the message says when there will be.
    """
    from reasonloom.stores.runs import runs  # noqa: PLC0415

    settings = engine.loom.settings
    tokens, usd = settings.caller_tokens_per_day, settings.caller_usd_per_day
    offline = engine.loom.llm.offline and not asks_caller
    if offline or (tokens is None and usd is None):
        return
    now = engine.loom.clock()
    async with engine.loom.database.begin(caller) as tx:
        use = await runs.daily_use(tx, now - DAY, tokens=tokens, usd=usd)
        shut = use.tokens_by or use.usd_by
        if not shut or (key and await runs.find_by_key(tx, tool, key)):
            return
    raise DailyLimit(_daily_limit_message(use, tokens, usd, now), limit="day")


def _daily_limit_message(
    use: DailyUse, tokens: int | None, usd: float | None, now: datetime
) -> str:
    reached = [
        f"{_format_number(spent)} of {_format_number(limit)} {what} "
        f"(REASONLOOM_CALLER_{what.upper()}_PER_DAY)"
        for spent, limit, what, by in (
            (use.tokens, tokens, "tokens", use.tokens_by),
            (use.usd, usd, "usd", use.usd_by),
        )
        if by and limit
    ]
    opens = max(by for by in (use.tokens_by, use.usd_by) if by) + DAY
    minutes = max(1, -(-int((opens - now).total_seconds()) // 60))
    return (
        f"the daily limit of one caller is reached: {' and '.join(reached)} were used by runs "
        f"begun within 24 hours; tools that ask a language model open again at "
        f"{opens.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC, in {minutes // 60} h {minutes % 60} min"
    )


def _format_number(number: float) -> str:
    """Return a number without an exponent, with at most six decimal places."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.6f}".rstrip("0").rstrip(".")
