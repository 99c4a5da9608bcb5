"""`/spaces`: the spaces that the visitor may use, and new ones."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from nicegui import ui

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import ME
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.sharing.administration import (
    SpaceAccess,
    create_space,
    create_team,
    list_spaces,
)
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import Cell, heading, table
from reasonloom.studio.widgets.forms import PAGE_SIZE, page_offset, paging
from reasonloom.studio.widgets.live import Region, action_button

LEAD = "The spaces you may use. Open one that you administer to see and change who else may."
HEADS = ("space", "your rights", "granted to")
Create = Callable[[Loom, Caller, str], Awaitable[str]]


async def build_spaces(visit: Visit) -> None:
    """Draw the list, and what creates a space or a team."""
    await SpaceList(visit).begin(writes=await visit.context.may_write())


@dataclass
class SpaceList:
    """One open page of the list."""

    visit: Visit
    rows: Region = field(init=False)

    async def begin(self, *, writes: bool) -> None:
        """Draw it for the first time."""
        found = await self._load()
        heading("Spaces", LEAD)
        with ui.element("p"):
            ui.link("The log: who read, changed and shared them", "/spaces/log")
        if writes:
            with ui.element("div").classes("studio-card"):
                self._form("New space", "notes or team/payments/notes", create_space)
                self._form("New team", "payments", create_team)
        self.rows = Region()
        self._draw(found)

    async def _load(self) -> list[SpaceAccess]:
        context = self.visit.context
        return await list_spaces((await context.engine()).loom, await context.caller())

    def _draw(self, found: Sequence[SpaceAccess]) -> None:
        with self.rows.anew():
            page_rows = found[page_offset(self.visit) :][:PAGE_SIZE]
            table(f"{len(found):,} in total, your own first.", HEADS, map(_row, page_rows))
            paging(self.visit, "/spaces", len(found))

    def _form(self, label: str, hint: str, make: Create) -> None:
        name = ui.input(label=label, placeholder=hint).classes("studio-select").props("outlined")

        async def create() -> None:
            context = self.visit.context
            await make((await context.engine()).loom, await context.writer(), str(name.value or ""))
            name.value = ""
            self._draw(await self._load())

        action_button(f"Create {label.lower()}", create)


def _row(space: SpaceAccess) -> tuple[Cell | str, ...]:
    is_open = space.grants is not None and space.name != ME
    href = f"/space?{urlencode({'name': space.name})}" if is_open else None
    given = [f"{each.grantee} ({', '.join(each.rights)})" for each in space.grants or ()]
    return (Cell(space.name, href=href), ", ".join(space.rights), "; ".join(given) or "–")


SPACES = StudioPage("/spaces", "Spaces", "extras", build_spaces, "/spaces", icon="group")
