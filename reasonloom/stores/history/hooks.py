"""The last run of each hook: written after each run, read by the tool that reports them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

MESSAGE_LENGTH = 500
"""Characters stored of a run's message."""

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class HookRun:
    """A run of a hook.

    Attributes:
        ran_at: when it started, timezone-aware.
        message: what it did, or why it failed; never contains conversation content or paths.
        milliseconds: its duration.
        project: the slug of its project, None if unknown.
    """

    hook: str
    ran_at: datetime
    succeeded: bool
    message: str
    milliseconds: float
    project: str | None = None


async def put(tx: Transaction, run: HookRun) -> None:
    """Store the last run of a hook; of two concurrent ones, the one that started later wins."""
    await tx.run(SQL.put, {**asdict(run), "message": run.message[:MESSAGE_LENGTH]})


async def last_runs(tx: Transaction) -> Sequence[HookRun]:
    """Return the owner's last run of each hook that ever ran."""
    return await tx.rows(HookRun, SQL.all)
