"""Grants on spaces: who may read, write, promote into and administer them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import columns, load

Right = Literal["read", "write", "promote", "admin"]
RIGHTS: tuple[Right, ...] = ("read", "write", "promote", "admin")
IMPLIED: dict[Right, frozenset[str]] = {
    "read": frozenset(RIGHTS),
    "write": frozenset({"write", "admin"}),
    "promote": frozenset({"promote", "write", "admin"}),
    "admin": frozenset({"admin"}),
}
"""By right, those of which any suffices; the function `reached_owner` of the database agrees."""


@dataclass(frozen=True, slots=True)
class Grant:
    """One grant in force; `grantee` is a person, or `team/NAME` or `group/NAME`."""

    space: str
    grantee: str
    rights: list[str]
    granted_by: str
    granted_at: datetime


@dataclass(frozen=True, slots=True)
class ReachableSpace:
    """Another owner's space that the caller may use, with the caller's rights there."""

    owner: str
    space: str
    rights: list[str]


SQL = load(__file__, columns=columns(Grant))


def permits(held: Sequence[str], wanted: Right) -> bool:
    """Return whether rights include a wanted one."""
    return bool(IMPLIED[wanted] & set(held))


async def rights_on(tx: Transaction, places: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return the caller's rights in each space, given by owner and name; empty where none."""
    owners, spaces = [owner for owner, _ in places], [space for _, space in places]
    return await tx.column(SQL.rights, {"owners": owners, "spaces": spaces})


async def admit(tx: Transaction, person: str, groups: Sequence[str], at: datetime) -> None:
    """Note a person as a member of the groups that its token claims, unless it was removed."""
    if groups:
        await tx.run(SQL.admit, {"person": person, "groups": list(groups), "at": at})


async def found_team(tx: Transaction) -> bool:
    """Create the team that owns the transaction; return False if there is such an owner."""
    return await tx.run(SQL.found_team) == 1


async def create_space(tx: Transaction) -> bool:
    """Create the transaction's space; return False if it exists."""
    return await tx.run(SQL.create_space) == 1


async def space_exists(tx: Transaction) -> bool:
    """Return whether the transaction's space exists."""
    return bool((await tx.one(SQL.space_exists))[0])


async def grant(
    tx: Transaction, grantee: str, rights: Sequence[str], *, by: str, at: datetime
) -> None:
    """Grant rights on the transaction's space, in place of what the grantee had."""
    values = {"grantee": grantee, "rights": list(rights), "by": by, "at": at}
    await tx.run(SQL.grant, values)


async def revoke(tx: Transaction, grantee: str, at: datetime) -> bool:
    """Revoke what a grantee has on the transaction's space; return False if it has nothing."""
    return await tx.run(SQL.revoke, {"grantee": grantee, "at": at}) == 1


async def known_team(tx: Transaction, name: str) -> bool:
    """Return whether there is a team of this name, such as `team/payments`."""
    return bool((await tx.one(SQL.known_team, {"name": name}))[0])


async def revoke_all(tx: Transaction, grantee: str, at: datetime) -> int:
    """Revoke what a grantee has on every space of the owner; return how many grants."""
    return await tx.run(SQL.revoke_all, {"grantee": grantee, "at": at})


async def has_admin(tx: Transaction) -> bool:
    """Return whether somebody administers the team that owns the transaction."""
    return bool((await tx.one(SQL.has_admin))[0])


async def in_force(tx: Transaction, *, every_space: bool = False) -> list[Grant]:
    """Return the grants on the transaction's space, or on all spaces of its owner."""
    return await tx.rows(Grant, SQL.in_force, {"all": every_space})


async def reachable(tx: Transaction) -> list[ReachableSpace]:
    """Return the spaces of other owners that the caller may use."""
    return await tx.rows(ReachableSpace, SQL.reachable)


async def own_spaces(tx: Transaction) -> list[str]:
    """Return the names of the owner's spaces that hold or held memories, or were created."""
    return [row.space for row in await tx.all(SQL.own)]
