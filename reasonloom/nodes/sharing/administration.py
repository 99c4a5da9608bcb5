"""Administers shared spaces and teams: who may use them, and who did."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import (
    GROUP,
    ME,
    TEAM,
    Place,
    is_person,
    parse_grantee,
    parse_place,
    parse_team,
)
from reasonloom.errors import Conflict, InvalidArgument, NotPermitted, UnknownName
from reasonloom.nodes.execution import Loom
from reasonloom.stores.database import Transaction
from reasonloom.stores.pipelines import together
from reasonloom.stores.sharing import audit, grants, memberships
from reasonloom.stores.sharing.audit import AuditEntry
from reasonloom.stores.sharing.grants import RIGHTS, Grant, permits
from reasonloom.stores.sharing.memberships import Membership

MEMBERS_RIGHTS = ("read", "write")
"""What the members of a new team may do in its space."""

PRIVATE = (
    "{field}: your default space is private; share one of your own such as me/notes, or a team's "
    "such as team/payments"
)
NO_SPACE = "{field}: there is no space {name} that you may read; create it with `space create`"
NO_TEAM = "{field}: there is no team {name}; create it with `team create`"
NOT_ADMIN = "{field}: only those with the right admin on {name} may do this"
ONESELF = "to: {name} has every right there already; name somebody else, such as anna"
TAKEN = "name: {name} exists; take another name"
NO_TEAM_IN_TEAM = "member: must be a person such as anna; teams and groups have no teams as members"
LAST_ADMIN = "{name} would be left without an admin; grant admin to somebody else first"
NOT_GRANTED = "from: {who} has no rights on {name}"
NO_MEMBER = "member: {who} is not a member of {name}"


@dataclass(frozen=True, slots=True)
class Administration:
    """A transaction in a space that the caller may administer.

    Attributes:
        others: for a group, transactions in the other databases, since each reads rights alone.
    """

    tx: Transaction
    loom: Loom
    caller: Caller
    tool: str
    others: Sequence[Transaction] = ()

    async def log(self, action: str, subject: str | None, rights: Sequence[str] = ()) -> None:
        """Log a change of who may use the space."""
        entry = AuditEntry(
            self.loom.clock(), self.caller.owner, action, self.tool, self.caller.space, [],
            subject, list(rights),
        )  # fmt: skip
        await audit.record(self.tx, entry)

    async def grant(self, to: str, rights: Sequence[str]) -> str:
        """Grant rights on the space, in place of those that the grantee has; return its name.

        Raises:
            InvalidArgument: it names nobody, a space, or who has every right already.
            UnknownName: there is no such team.
        """
        grantee = parse_grantee(to, "to")
        if grantee in (self.caller.owner, self.caller.host_or_owner) and is_person(grantee):
            raise InvalidArgument(ONESELF.format(name=grantee), field="to")
        if unknown := [each for each in rights if each not in RIGHTS]:
            reason = f"rights: {unknown[0]} is none; must be some of {', '.join(RIGHTS)}"
            raise InvalidArgument(reason, field="rights")
        if grantee.startswith(TEAM) and not await grants.known_team(self.tx, grantee):
            raise UnknownName(NO_TEAM.format(field="to", name=grantee), field="to")
        given = [each for each in RIGHTS if each in rights]
        by, at = self.caller.owner, self.loom.clock()
        await grants.grant(self.tx, grantee, given, by=by, at=at)
        await self.log("grant", grantee, given)
        await self._require_admin()
        return grantee

    async def revoke(self, whom: str) -> str:
        """Revoke all rights on the space; return the grantee's name.

        Raises:
            UnknownName: the grantee has none.
            Conflict: a team would be left without an admin.
        """
        grantee = parse_grantee(whom, "from")
        await self.log("revoke", grantee)
        if not await grants.revoke(self.tx, grantee, self.loom.clock()):
            reason = NOT_GRANTED.format(who=grantee, name=self.caller.address)
            raise UnknownName(reason, field="from")
        await self._require_admin()
        return grantee

    async def add(self, member: str) -> None:
        """Add a member to the team; raises as `grant`."""
        person = _person(member)
        for tx in (self.tx, *self.others):
            await memberships.add(tx, person, by=self.caller.owner, at=self.loom.clock())
        await self.log("add", person)

    async def remove(self, member: str) -> None:
        """Remove a member, with all that was granted to it alone; it loses access at once.

        A group is closed to the person from now on, also if no token has claimed it yet.

        Raises:
            UnknownName: it is no member.
            Conflict: the team would be left without an admin.
        """
        at = self.loom.clock()
        await self.log("remove", member)
        if self.tx.owner.startswith(GROUP):
            by, person = self.caller.owner, _person(member)
            every = (self.tx, *self.others)
            removed = any([await memberships.bar(tx, person, by=by, at=at) for tx in every])
        else:
            removed = await memberships.remove(self.tx, member, at)
        revoked = await grants.revoke_all(self.tx, member, at)
        if not removed and not revoked:
            name = self.caller.host_or_owner
            raise UnknownName(NO_MEMBER.format(who=member, name=name), field="member")
        if member != self.caller.owner:
            await self._require_admin()

    async def members(self) -> list[Membership]:
        """Return the members, in order."""
        found = [await memberships.members(tx) for tx in (self.tx, *self.others)]
        named = {member.member: member for each in reversed(found) for member in each}
        return [named[name] for name in sorted(named)]

    async def _require_admin(self) -> None:
        team = self.tx.owner
        is_whole = team.startswith(TEAM) and not self.tx.space
        if is_whole and not await grants.has_admin(self.tx):
            raise Conflict(LAST_ADMIN.format(name=team))


def _person(member: str) -> str:
    person = parse_grantee(member, "member")
    if not is_person(person):
        raise InvalidArgument(NO_TEAM_IN_TEAM, field="member")
    return person


@asynccontextmanager
async def administering(
    loom: Loom, caller: Caller, place: Place, tool: str, *, field: str = "space"
) -> AsyncIterator[Administration]:
    """Open a transaction in a space that the caller may administer.

    Raises:
        InvalidArgument: it is the caller's default space, which is private.
        UnknownName: there is no such space, or the caller may not read it.
        NotPermitted: the caller lacks the right `admin`.
    """
    placed = caller.at(place.owner, place.space, place.name())
    if not (placed.host or place.space):
        raise InvalidArgument(PRIVATE.format(field=field), field=field)
    async with loom.database.begin(placed) as tx:
        await _require_admin_right(tx, placed, field)
        yield Administration(tx, loom, placed, tool)


@asynccontextmanager
async def opened_team(
    loom: Loom, caller: Caller, name: str, tool: str
) -> AsyncIterator[Administration]:
    """Open a transaction in a team's own space; groups are open to whoever may use the database.

    A group is opened in every database; raises as `administering`.
    """
    if not name.startswith(GROUP):
        place = Place(parse_team(name, "team"))
        async with administering(loom, caller, place, tool, field="team") as opened:
            yield opened
        return
    group = Caller(parse_grantee(name, "team"))
    async with AsyncExitStack() as stack:
        parts = await loom.database.every_part()
        tx, *others = [await stack.enter_async_context(each.begin(group)) for each in parts]
        yield Administration(tx, loom, caller, tool, others)


@asynccontextmanager
async def reading_log(loom: Loom, placed: Caller) -> AsyncIterator[Transaction]:
    """Open a transaction that may read the log of the caller, or of a team that it administers.

    Raises as `administering`.
    """
    async with loom.database.begin(placed) as tx:
        if placed.host:
            await _require_admin_right(tx, placed, "owner")
        yield tx


async def _require_admin_right(tx: Transaction, placed: Caller, field: str) -> None:
    name = placed.address
    if placed.host:
        (held,) = await grants.rights_on(tx, [(placed.host, placed.space)])
        if held and not permits(held, "admin"):
            raise NotPermitted(NOT_ADMIN.format(field=field, name=name), field=field)
        if not held:
            raise UnknownName(NO_SPACE.format(field=field, name=name), field=field)
    if not await grants.space_exists(tx):
        raise UnknownName(NO_SPACE.format(field=field, name=name), field=field)


async def create_team(loom: Loom, caller: Caller, name: str) -> str:
    """Create a team with the caller as its member and admin; return its full name.

    Raises:
        InvalidArgument: the name has another form.
        Conflict: there is such a team.
    """
    team, at = parse_team(name, "name"), loom.clock()
    as_team = Caller(team, client=caller.client)
    async with loom.database.begin(as_team) as tx:
        if not await grants.found_team(tx):
            raise Conflict(TAKEN.format(name=team), field="name")
        await grants.grant(tx, team, MEMBERS_RIGHTS, by=caller.owner, at=at)
        await grants.grant(tx, caller.owner, ["admin"], by=caller.owner, at=at)
        await memberships.add(tx, caller.owner, by=caller.owner, at=at)
        await audit.record(tx, AuditEntry(at, caller.owner, "create", "team create", ""))
    return team


async def create_space(loom: Loom, caller: Caller, name: str) -> str:
    """Create a space, of the caller or of a team that it administers; return its full name.

    A team's members may use a new space of the team as they may use the team's own.

    Raises:
        InvalidArgument: the name has another form.
        UnknownName: there is no such team, or the caller may not read it.
        NotPermitted: the caller is no admin of the team.
        Conflict: there is such a space.
    """
    place = parse_place(name if "/" in name else f"{ME}/{name}", "name")
    placed = caller.at(place.owner, place.space, place.name())
    if not place.space:
        raise Conflict(TAKEN.format(name=place.name()), field="name")
    async with loom.database.begin(placed) as tx:
        if placed.host:
            (held,) = await grants.rights_on(tx, [(placed.host, place.space)])
            if not permits(held, "admin"):
                reason = NO_TEAM.format(field="name", name=f"{placed.host} that you administer")
                raise UnknownName(reason, field="name")
        if not await grants.create_space(tx):
            raise Conflict(TAKEN.format(name=place.name()), field="name")
        at, by = loom.clock(), caller.owner
        if placed.host:
            await grants.grant(tx, placed.host, MEMBERS_RIGHTS, by=by, at=at)
        await audit.record(tx, AuditEntry(at, by, "create", "space create", place.space))
    return place.name()


@dataclass(frozen=True, slots=True)
class SpaceAccess:
    """A space that the caller may use; `grants` is None for those it does not administer."""

    name: str
    rights: list[str]
    grants: list[Grant] | None


async def list_spaces(loom: Loom, caller: Caller) -> list[SpaceAccess]:
    """Return the caller's own spaces with their grants, then those that others share."""
    async with loom.database.begin(caller, once=True) as tx:
        names, given, _, shared = await together(
            grants.own_spaces(tx), grants.in_force(tx, every_space=True),
            grants.admit(tx, caller.owner, caller.groups, loom.clock()), grants.reachable(tx),
        )  # fmt: skip
    found = [
        SpaceAccess(
            Place(None, name).name(), list(RIGHTS), [each for each in given if each.space == name]
        )
        for name in dict.fromkeys(("", *names))
    ]
    for each in shared:
        placed = caller.at(each.owner, each.space, Place(each.owner, each.space).name())
        on_it = None
        if permits(each.rights, "admin"):
            async with loom.database.begin(placed, once=True) as tx:
                on_it = await grants.in_force(tx)
        found.append(SpaceAccess(placed.address, each.rights, on_it))
    return found


async def list_teams(loom: Loom, caller: Caller) -> list[SpaceAccess]:
    """Return the teams' own spaces that the caller may use; see `list_spaces`."""
    found = await list_spaces(loom, caller)
    return [each for each in found if each.name.startswith(TEAM) and each.name.count("/") == 1]


async def leave(loom: Loom, caller: Caller, team: str, tool: str) -> None:
    """End the caller's own membership of a team, and what was granted to it there.

    Raises:
        UnknownName: the caller is no member.
        Conflict: the team would be left without an admin.
    """
    name = parse_team(team, "team")
    placed = caller.at(name, "", name)
    async with loom.database.begin(placed) as tx:
        (held,) = await grants.rights_on(tx, [(name, "")])
        if not held:
            raise UnknownName(NO_TEAM.format(field="team", name=name), field="team")
        others = [
            each for each in await grants.in_force(tx)
            if "admin" in each.rights and each.grantee != caller.owner
        ]  # fmt: skip
        if permits(held, "admin") and not others:
            raise Conflict(LAST_ADMIN.format(name=name))
        await Administration(tx, loom, placed, tool).remove(caller.owner)
