"""`/space`: who may use a space, and changes of that."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

from nicegui import ui

from reasonloom.contracts.places import TEAM, Place, parse_place
from reasonloom.nodes.sharing.administration import Administration, administering
from reasonloom.stores.sharing import grants, memberships
from reasonloom.stores.sharing.grants import RIGHTS, Grant
from reasonloom.stores.sharing.memberships import Membership
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import Cell, heading, short_moment, table, tag
from reasonloom.studio.widgets.forms import MAX_FIELD
from reasonloom.studio.widgets.live import Region, action_button, confirm

GRANT_HEADS = ("granted to", "rights", "granted by", "since")
MEMBER_HEADS = ("member", "added by", "since")
TOOL = "studio"
"""What the log names as the tool of a change made here."""


async def build_space(visit: Visit) -> None:
    """Draw the grants on a space and, for a team's own, the members of the team."""
    place = parse_place(visit.text("name", MAX_FIELD), "name")
    await SpaceView(visit, place, await visit.context.may_write()).begin()


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use a space; a space that is no team's own has no members."""

    grants: Sequence[Grant]
    members: Sequence[Membership]


@dataclass
class SpaceView:
    """One open page of a space."""

    visit: Visit
    place: Place
    writes: bool
    grants: Region = field(init=False)
    members: Region = field(init=False)

    @property
    def is_team(self) -> bool:
        """Whether it is a team's own space, so that the team's members are listed."""
        return not self.place.space and (self.place.owner or "").startswith(TEAM)

    async def begin(self) -> None:
        """Draw it for the first time."""
        found = await self._load()
        name = self.place.name()
        heading(name, "Who may use this space. Changes apply from the next call.")
        log = {"of": Place(self.place.owner).name(), "in": name}
        with ui.element("p"):
            ui.link("Its log", f"/spaces/log?{urlencode(log)}")
        tag("h2", "Grants")
        self.grants = Region()
        if self.writes:
            self._grant_form()
        if self.is_team:
            tag("h2", "Members")
            self.members = Region()
            if self.writes:
                self._member_form()
        self._draw(found)

    @asynccontextmanager
    async def _administering(self, *, writes: bool) -> AsyncIterator[Administration]:
        context = self.visit.context
        caller = await (context.writer() if writes else context.caller())
        loom = (await context.engine()).loom
        async with administering(loom, caller, self.place, TOOL, field="name") as opened:
            yield opened

    async def _load(self) -> Access:
        async with self._administering(writes=False) as opened:
            given = await grants.in_force(opened.tx)
            members = await memberships.members(opened.tx) if self.is_team else []
        return Access(given, members)

    def _draw(self, found: Access) -> None:
        with self.grants.anew():
            count = f"{len(found.grants):,} in force. Times are UTC."
            table(
                count, self._heads(*GRANT_HEADS), [self._grant_row(each) for each in found.grants]
            )
        if self.is_team:
            with self.members.anew():
                count = f"{len(found.members):,} in total. Times are UTC."
                rows = [self._member_row(each) for each in found.members]
                table(count, self._heads(*MEMBER_HEADS), rows)

    def _heads(self, *heads: str) -> Sequence[str]:
        return (*heads, "change") if self.writes else heads

    def _grant_row(self, given: Grant) -> list[Cell | str]:
        async def revoke(opened: Administration) -> None:
            await opened.revoke(given.grantee)

        warning = f"{given.grantee} loses: {', '.join(given.rights)}. This takes effect at once."
        return [
            given.grantee, ", ".join(given.rights), given.granted_by,
            Cell(short_moment(given.granted_at), look="studio-quiet studio-nowrap"),
            *self._button("Revoke…", given.grantee, warning, revoke),
        ]  # fmt: skip

    def _member_row(self, member: Membership) -> list[Cell | str]:
        async def remove(opened: Administration) -> None:
            await opened.remove(member.member)

        warning = (
            f"{member.member} also loses what was granted to it alone. This takes effect at once."
        )
        return [
            member.member, member.added_by,
            Cell(short_moment(member.added_at), look="studio-quiet studio-nowrap"),
            *self._button("Remove…", member.member, warning, remove),
        ]  # fmt: skip

    def _button(
        self, label: str, whom: str, warning: str, do: Callable[[Administration], Awaitable[None]]
    ) -> list[Cell]:
        if not self.writes:
            return []

        def draw() -> None:
            title = f"{label.rstrip('…')} {whom}?"
            button = confirm(label, title, warning, lambda: self._change(do), danger=True)
            button.props["aria-label"] = f"{label} {whom}"

        return [Cell("", draw=draw)]

    async def _change(self, do: Callable[[Administration], Awaitable[object]]) -> None:
        async with self._administering(writes=True) as opened:
            await do(opened)
        self._draw(await self._load())

    def _grant_form(self) -> None:
        with ui.element("div").classes("studio-card"):
            to = ui.input(label="Grant to", placeholder="anna, team/NAME or group/NAME")
            to.classes("studio-select").props("outlined")
            with ui.element("div").classes("studio-row"):
                boxes = {each: ui.checkbox(each, value=each == "read") for each in RIGHTS}

            async def grant() -> None:
                rights = [each for each, box in boxes.items() if box.value]
                await self._change(lambda opened: opened.grant(str(to.value or ""), rights))
                to.value = ""

            action_button("Grant", grant)

    def _member_form(self) -> None:
        with ui.element("div").classes("studio-card"):
            member = ui.input(label="Add a person").classes("studio-select").props("outlined")

            async def add() -> None:
                await self._change(lambda opened: opened.add(str(member.value or "")))
                member.value = ""

            action_button("Add", add)


SPACE = StudioPage("/space", "Space", "extras", build_space, "/spaces")
