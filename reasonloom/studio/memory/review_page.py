"""`/memory/review`: outdated, duplicate, suspicious or unused memories, each settled by a click."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from nicegui import ui

from reasonloom.errors import ReasonloomError
from reasonloom.nodes.memory.maintenance.review import (
    REASONS,
    Decision,
    ReviewItem,
    review_items,
    settle,
)
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import empty_state, heading, mark, tag
from reasonloom.studio.widgets.live import Region, notify

MOST = 20
"""Items of each finding on the page."""

LEAD = "Forgotten memories are hidden and can be restored on their page."
WORDS: dict[Decision, str] = {
    "supersede": "The newer replaces it",
    "keep": "Keep",
    "forget": "Forget",
}


async def build(visit: Visit) -> None:
    """Draw the items to review."""
    await ReviewView(visit).begin()


@dataclass
class ReviewView:
    """One open page of items to review."""

    visit: Visit
    region: Region = field(init=False)

    async def begin(self) -> None:
        """Draw it for the first time."""
        heading("Review", LEAD)
        self.region = Region()
        await self._show()

    async def _show(self) -> None:
        context = self.visit.context
        writes = await context.may_write()
        engine, caller = await context.engine(), await context.caller()
        items = await review_items(engine.loom, caller, most=MOST)
        with self.region.anew():
            if not items:
                empty_state(
                    "Nothing to review", "No memory seems outdated, duplicate or suspicious."
                )
            for finding, found in groupby(items, key=lambda each: each.finding):
                self._group(REASONS[finding], list(found), writes=writes)

    def _group(self, title: str, items: Sequence[ReviewItem], *, writes: bool) -> None:
        tag("h2", title)
        with ui.element("div").classes("studio-stack"):
            for item in items:
                with ui.element("div").classes("studio-card"):
                    _draw(item)
                    if writes:
                        self._decisions(item)

    def _decisions(self, item: ReviewItem) -> None:
        decisions: list[Decision] = ["keep", "forget"]
        if item.newer:
            decisions.insert(0, "supersede")
        with ui.element("div").classes("studio-row studio-deeds"):
            for decision in decisions:
                label = f"{WORDS[decision]}: {item.memory}"
                button = tag("button", WORDS[decision], "studio-button", type="button")
                button.props["aria-label"] = label
                button.on("click", self._decide(item, decision))

    def _decide(self, item: ReviewItem, decision: Decision) -> Callable[[], Awaitable[None]]:
        return partial(self._settle, item.model_copy(update={"decision": decision}))

    async def _settle(self, item: ReviewItem) -> None:
        try:
            caller = await self.visit.context.writer()
            await settle((await self.visit.context.engine()).loom, caller, [item])
        except ReasonloomError as error:
            notify(error)
        await self._show()


def _draw(item: ReviewItem) -> None:
    """Draw a memory, below the newer one of a pair."""
    if item.newer:
        _memory(item.newer, item.newer_text or "", "newer")
    _memory(item.memory, item.text, "older" if item.newer else "")
    if item.confidence is not None:
        tag("p", f"{item.confidence:.0%} sure", "studio-quiet studio-small")


def _memory(name: str, text: str, age: str) -> None:
    with ui.element("p").classes("studio-row"):
        ui.link(name, f"/memory/{name.removeprefix('mem-')}")
        if age:
            mark(age, "good" if age == "newer" else "quiet")
    tag("p", text, "studio-cell", dir="auto")


REVIEW = StudioPage("/memory/review", "Review", "thought", build, "/memory/review", icon="rule")
