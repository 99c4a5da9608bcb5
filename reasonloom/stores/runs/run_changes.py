"""What of a run changes while it is executed, in any process."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.runs.runs import ABANDONED, CANCELLED, DONE, FAILED
from reasonloom.stores.statements import load

SQL = load(__file__)


class RunVersion(NamedTuple):
    """A run as it is now: it has changed if any of these has.

    `calls` counts its calls of a language model; `step` is the id of its last saved step.
    """

    id: UUID
    status: str
    finished_at: datetime | None
    calls: int
    step: str | None

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.status in (DONE, FAILED, CANCELLED, ABANDONED)


async def versions(tx: Transaction, run_ids: Collection[UUID]) -> list[RunVersion]:
    """Return the versions of those runs that the caller has in its space."""
    return await tx.rows(RunVersion, SQL.versions, {"runs": list(run_ids)})
