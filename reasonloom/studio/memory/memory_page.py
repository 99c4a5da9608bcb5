"""`/memory/{id}`: one memory with its links, provenance and decay."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from nicegui import ui

from reasonloom.contracts.graph_memory.nodes import MemoryCorrect
from reasonloom.contracts.memory.extras import RestoreMemory
from reasonloom.contracts.memory.tools import Forget, UpdateMemory
from reasonloom.contracts.validation import parse_request
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.stores.memory import memory_links, memory_lists
from reasonloom.stores.memory.memory_links import Correction, Link
from reasonloom.stores.memory.memory_lists import Membership, OneMemory
from reasonloom.studio.memory.facts import (
    membership_facts,
    past_link,
    provenance,
    scores,
    status_facts,
)
from reasonloom.studio.memory.strength import decay_of, draw_strength
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import (
    Cell,
    empty_state,
    heading,
    mark,
    prose,
    short_moment,
    table,
    tag,
)
from reasonloom.studio.widgets.live import Region, confirm, deferred, text_dialog
from reasonloom.text.shortening import shortened

EXCERPT = 110


def edges(title: str, way: str, found: Sequence[Link]) -> None:
    """Draw edges of one direction; `way` is the heading of the other memory's column."""
    tag("h3", title)
    if not found:
        tag("p", "None.", "studio-quiet")
        return
    total = found[0].total
    limit_note = "" if total == len(found) else f" The {len(found):,} heaviest are shown."
    heads = ("type", "#weight", way, "why")
    table(f"{title}: {total:,} in total.{limit_note}", heads, map(_row, found))


def _row(link: Link) -> tuple[Cell | str, ...]:
    hidden = " (hidden)" if link.hidden else ""
    other = f"mem-{link.other}{hidden}: {shortened(link.content, EXCERPT)}"
    why = link.reason or f"({link.origin})"
    return link.type, f"{link.weight:.3f}", Cell(other, href=f"/memory/{link.other}"), why


def corrections(found: Sequence[Correction], here: int) -> None:
    """Draw a chain of corrections, the oldest first."""
    with ui.element("ol").classes("studio-strip"):
        for number, each in enumerate(found):
            with ui.element("li").classes("studio-card"):
                if number:
                    tag("p", f"corrects: {each.reason or 'no reason given'}", "studio-why")
                with ui.element("p").classes("studio-row"):
                    _name(each, here)
                tag("p", shortened(each.content, EXCERPT), "studio-cell", dir="auto")


def _name(each: Correction, here: int) -> None:
    if each.id == here:
        tag("strong", f"mem-{each.id}, this one")
    else:
        ui.link(f"mem-{each.id}", f"/memory/{each.id}")
    tag("span", short_moment(each.created_at), "studio-quiet studio-small")
    if each.hidden:
        mark("hidden", "wrong")
    elif each.superseded_by is None:
        mark("holds now", "good")
    else:
        mark(f"superseded by mem-{each.superseded_by}", "warn")


EDITS = "Replaces the content. The old text is not kept."
CORRECTS = "Stores a new memory that supersedes this one. Both stay readable."
HIDES = "No search will find it any more. It is kept, and can be restored on this page."
ERASES = (
    "It is removed for good, with its vectors and links, and from the runs that contain it. "
    "It cannot be restored."
)
RESTORES = "It will be found again."


class MemoryDetails(NamedTuple):
    """A memory and everything that its page displays."""

    memory: OneMemory
    basins: Sequence[Membership]
    outward: Sequence[Link]
    inward: Sequence[Link]
    chain: Sequence[Correction]


async def build(visit: Visit) -> None:
    """Draw the memory."""
    number = visit.id if visit.id.startswith("mem-") else f"mem-{visit.id}"
    await MemoryView(visit, memory_number(number)).begin()


@dataclass
class MemoryView:
    """One open page of a memory."""

    visit: Visit
    number: int
    region: Region = field(init=False)

    async def begin(self) -> None:
        """Draw it for the first time."""
        found = await self._read()
        heading(f"mem-{self.number}")
        self.region = Region()
        await self._show(found)

    async def _read(self) -> MemoryDetails:
        async with self.visit.context.begin(searching=True) as tx:
            memory = await memory_lists.require(tx, self.number)
            return MemoryDetails(
                memory,
                await memory_lists.basins_of(tx, self.number),
                await memory_links.outward(tx, self.number),
                await memory_links.inward(tx, self.number),
                await memory_links.corrections(tx, self.number),
            )

    async def _show(self, found: MemoryDetails) -> None:
        writes = await self.visit.context.may_write()
        with self.region.anew():
            with ui.element("div").classes("studio-columns"):
                with ui.element("div").classes("studio-card"):
                    status_facts(found.memory)
                    prose(found.memory.content)
                    self._deeds(found.memory, writes=writes)
                with ui.element("div").classes("studio-card"):
                    tag("h2", "Where it comes from")
                    provenance(found.memory)
                    tag("h2", "Clusters")
                    membership_facts(found.basins)
            self._whole(found)

    def _whole(self, found: MemoryDetails) -> None:
        if len(found.chain) > 1:
            tag("h2", "Corrections, the oldest first")
            corrections(found.chain, found.memory.id)
        tag("h2", "Strength over time")
        with ui.element("div").classes("studio-card"):
            deferred(partial(self._fading, found.memory))
        tag("h2", "Links")
        with ui.element("div").classes("studio-card"):
            edges("To others", "leads to", found.outward)
            edges("From others", "comes from", found.inward)
        tag("h2", "All facts")
        with ui.element("div").classes("studio-card"):
            scores(found.memory)

    async def _fading(self, memory: OneMemory) -> Callable[[], None]:
        now = datetime.now(UTC)
        found = await self.visit.context.read(decay_of, memory, now, searching=True)
        return lambda: draw_strength(memory, found, now)

    def _deeds(self, memory: OneMemory, *, writes: bool) -> None:
        if memory.past_session is not None:
            ui.link("Read it in its conversation", _past(memory))
            note = "Pieces of past conversations are forgotten by project, time or session: "
            tag("p", f"{note}reasonloom call history_forget.", "studio-quiet studio-small")
        elif writes:
            with ui.element("div").classes("studio-row studio-deeds"):
                self._buttons(memory)

    def _buttons(self, memory: OneMemory) -> None:
        name = f"mem-{memory.id}"
        if memory.deleted_at is not None:
            confirm("Restore…", f"Restore {name}?", RESTORES, self._restore)
        else:
            text_dialog("Edit…", f"Edit {name}", memory.content, self._edit, hint=EDITS)
            text_dialog("Correct…", f"Correct {name}", memory.content, self._correct, hint=CORRECTS)
            confirm("Forget…", f"Forget {name}?", HIDES, self._hide)
            confirm("Erase…", f"Erase {name} for good?", ERASES, self._erase, danger=True)

    async def _edit(self, content: str) -> None:
        owner = (await self.visit.context.caller()).owner
        change = {"userId": owner, "memoryId": f"mem-{self.number}", "content": content}
        await self.visit.context.call("update_memory", parse_request(UpdateMemory, change))
        await self._show(await self._read())

    async def _correct(self, content: str) -> None:
        graph = replace(self.visit.context, toolset="graph_memory")
        change = {"old_node_id": self.number, "new_content": content}
        outcome = await graph.call("memory_correct", parse_request(MemoryCorrect, change))
        ui.navigate.to(f"/memory/{outcome.answer['new_node_id']}")

    async def _hide(self) -> None:
        await self.visit.context.call("forget", await self._forget(soft=True))
        await self._show(await self._read())

    async def _erase(self) -> None:
        await self.visit.context.call("forget", await self._forget(soft=False))
        with self.region.anew():
            empty_state("Erased", f"mem-{self.number} is gone for good.")
            ui.link("All memories", "/memory")

    async def _forget(self, *, soft: bool) -> Forget:
        owner = (await self.visit.context.caller()).owner
        name = f"mem-{self.number}"
        return Forget.model_validate({"userId": owner, "memoryId": name, "soft": soft})

    async def _restore(self) -> None:
        extras = replace(self.visit.context, toolset="extras")
        owner = (await self.visit.context.caller()).owner
        named = {"userId": owner, "memoryId": f"mem-{self.number}"}
        await extras.call("restore_memory", RestoreMemory.model_validate(named))
        await self._show(await self._read())


def _past(memory: OneMemory) -> str:
    return past_link(memory.past_project, str(memory.past_session))


MEMORY = StudioPage("/memory/{id}", "Memory", "thought", build, "/memory")
