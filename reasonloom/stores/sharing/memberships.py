"""The members of teams and of the groups that tokens claim."""

from dataclasses import dataclass
from datetime import datetime

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import columns, load


@dataclass(frozen=True, slots=True)
class Membership:
    """A member of a team or group; `added_by` is `token` where a token claimed the group."""

    member: str
    added_by: str
    added_at: datetime


SQL = load(__file__, columns=columns(Membership))


async def add(tx: Transaction, member: str, *, by: str, at: datetime) -> bool:
    """Add a member to the team that owns the memories; return False if it is one already."""
    return await tx.run(SQL.add, {"member": member, "by": by, "at": at}) == 1


async def remove(tx: Transaction, member: str, at: datetime) -> bool:
    """Remove a member, who loses access at once; return False if it is none."""
    return await tx.run(SQL.remove, {"member": member, "at": at}) == 1


async def bar(tx: Transaction, person: str, *, by: str, at: datetime) -> bool:
    """Close the group that owns the memories to a person, whether or not a token has claimed it.

    Returns False if it is closed already.
    """
    return await tx.run(SQL.bar, {"member": person, "by": by, "at": at}) == 1


async def members(tx: Transaction) -> list[Membership]:
    """Return the members of the team that owns the memories."""
    return await tx.rows(Membership, SQL.of_team)
