"""The log of who used a shared space: append-only, with ids and without contents."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

from reasonloom.stores.database import Transaction
from reasonloom.stores.pipelines import together
from reasonloom.stores.statements import columns, load, values_of


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One use of a space.

    Attributes:
        action: read, write, forget, promote, grant, revoke, add, remove or create.
        memories: the ids in the space that were read or changed.
        subject: the person, team or group that a grant or membership is about.
    """

    at: datetime
    principal: str
    action: str
    tool: str
    space: str
    memories: list[int] = field(default_factory=list)
    subject: str | None = None
    rights: list[str] = field(default_factory=list)


SQL = load(__file__, columns=columns(AuditEntry))


async def record(tx: Transaction, entry: AuditEntry) -> None:
    """Append an entry to the log of the space's owner."""
    await tx.run(SQL.record, values_of(entry))


async def record_read(tx: Transaction, entry: AuditEntry) -> None:
    """Append an entry without waiting for the disk, as the transaction's only batch."""
    await together(tx.all(SQL.lose_late), record(tx, entry))


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Entries from a time on, of a person, in a space; None is any."""

    since: datetime | None = None
    principal: str | None = None
    place: str | None = None


EVERYTHING = AuditFilter()


async def page(
    tx: Transaction, chosen: AuditFilter = EVERYTHING, *, limit: int, offset: int = 0
) -> Sequence[AuditEntry]:
    """Return entries of the log of the space's owner, the newest first."""
    values = {**asdict(chosen), "limit": limit, "offset": offset}
    return await tx.rows(AuditEntry, SQL.page, values)


async def count(tx: Transaction, chosen: AuditFilter = EVERYTHING) -> int:
    """Return the number of entries of the log of the space's owner."""
    return await tx.number(SQL.count, asdict(chosen))
