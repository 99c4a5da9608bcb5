"""`/session/{id}`: one session as a graph of its steps, growing while a run works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from nicegui import ui

from reasonloom.errors import SessionNotFound
from reasonloom.nodes.sessions.picture import picture
from reasonloom.stores import marks
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.runs import at_work
from reasonloom.stores.sessions import full_sessions
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.sessions.steps import SIZE, Step, draw_steps, steps_of
from reasonloom.studio.sessions.thought_panel import behind, thought_panel
from reasonloom.studio.sessions.working import working
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.facts import facts
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.live import Live
from reasonloom.studio.widgets.region import Region
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import moment

if TYPE_CHECKING:
    from reasonloom.nodes.sessions.picture import SessionPicture
    from reasonloom.stores.runs.at_work import AnsweredCall


async def build(visit: Visit) -> None:
    """Draw the session, and open its last step."""
    wanted = parse_uuid(visit.id)
    if wanted is None:
        raise SessionNotFound(visit.id)
    await SessionView(visit, wanted).begin()


@dataclass
class SessionView:
    """One open page: what it shows of its session, and the step that is open.

    `window` is the page of steps that is shown, None for the newest, which moves on.
    """

    visit: Visit
    session: UUID
    chosen: UUID | None = None
    window: int | None = None
    head: Region = field(init=False)
    graph: Region = field(init=False)
    panel: Region = field(init=False)

    async def begin(self) -> None:
        """Draw it, and follow what is written."""
        self.head = Region()
        with ui.element("div").classes("studio-columns"):
            self.graph = Region("studio-card")
            self.panel = Region("studio-card studio-panel")
        self.chosen = parse_uuid(self.visit.query.get("thought", ""))
        if self.chosen is not None:
            await self._open(self.chosen)
        await Live(self._mark, self._draw).begin()

    async def _mark(self) -> marks.Mark:
        async with self.visit.desk.begin() as tx:
            return await marks.of_session(tx, self.session)

    async def _draw(self) -> None:
        async with self.visit.desk.begin() as tx:
            drawn = picture(await full_sessions.whole(tx, str(self.session)))
            calls = await at_work.in_session(tx, self.session)
        with self.head.anew():
            _facts(drawn)
        steps = steps_of(drawn)
        if self.chosen is None and steps:
            self.chosen = steps[-1].thought.row.id
            await self._open(self.chosen)
        with self.graph.anew():
            self._steps(steps, len(drawn.branches), calls)

    def _steps(self, steps: Sequence[Step], lanes: int, calls: Sequence[AnsweredCall]) -> None:
        if not steps and not calls:
            empty("No step yet", "It grows here while a run works.")
            return
        last = max(0, (len(steps) - 1) // SIZE)
        at = last if self.window is None else min(self.window, last)
        shown = steps[at * SIZE : (at + 1) * SIZE]
        if last:
            self._windows(at, last, len(steps))
        draw_steps(shown, lanes, self.chosen, self._choose)
        working(calls)

    def _windows(self, at: int, last: int, total: int) -> None:
        with ui.element("div").classes("studio-pages"):
            for text, to in (("← earlier", at - 1), ("later →", at + 1)):
                button = tag("button", text, "studio-button", type="button")
                button.props["disabled"] = not 0 <= to <= last
                button.on("click", lambda to=to: self._move(None if to >= last else to))
            first = at * SIZE
            tag("span", f"steps {first + 1:,} to {min(first + SIZE, total):,} of {total:,}")

    async def _move(self, window: int | None) -> None:
        self.window = window
        await self._draw()

    async def _choose(self, thought: UUID) -> None:
        self.chosen = thought
        await self._open(thought)
        await self._draw()

    async def _open(self, thought: UUID) -> None:
        async with self.visit.desk.begin() as tx:
            found = await behind(tx, thought)
        with self.panel.anew():
            thought_panel(found)


def _facts(drawn: SessionPicture) -> None:
    session = drawn.session
    heading(f"Session {session.number}", "● active branch   ○ other branch   ⚑ checkpoint")
    facts(
        {
            "Mode": session.mode or "mixed",
            "Steps": f"{drawn.thoughts:,}",
            "Branches": f"{len(drawn.branches):,}",
            "Checkpoints": f"{drawn.checkpoints:,}",
            "Begun": moment(session.created_at),
            "Last written": moment(session.updated_at),
        }
    )


PAGE = StudioPage("/session/{id}", "Session", "reasoning", build, "/sessions")
