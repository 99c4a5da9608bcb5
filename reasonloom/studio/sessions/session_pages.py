"""`/sessions` and `/session/{id}`: the list, and one session as a growing graph of steps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from uuid import UUID

from nicegui import ui

from reasonloom.errors import SessionNotFound
from reasonloom.nodes.sessions.drawing import Step, lanes_drawing, steps_of
from reasonloom.nodes.sessions.picture import SessionPicture, picture
from reasonloom.nodes.sessions.thought_sources import thought_sources
from reasonloom.stores import overview
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.runs import active_runs
from reasonloom.stores.runs.active_runs import AnsweredCall
from reasonloom.stores.sessions import full_sessions, sessions
from reasonloom.stores.sessions.sessions import ListedSession
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.sessions.thought_panel import thought_panel
from reasonloom.studio.widgets.elements import (
    Cell,
    drawing,
    empty_state,
    facts,
    heading,
    mark,
    moment,
    short_moment,
    table,
    tag,
    visible,
)
from reasonloom.studio.widgets.forms import MAX_FIELD, PAGE_SIZE, choice, form, page_offset, paging
from reasonloom.studio.widgets.forms import field as forms_field
from reasonloom.studio.widgets.live import DETAIL, Live, Region
from reasonloom.text.shortening import shortened

MAX_REPLY = 120


def draw_active_runs(calls: Sequence[AnsweredCall]) -> None:
    """Draw each active run with the calls answered so far."""
    for run, group in groupby(calls, lambda call: (call.run_id, call.tool)):
        answered = [call for call in group if call.node is not None]
        with ui.element("section").classes("studio-working").props("role=status"):
            with ui.element("div").classes("studio-row"):
                mark("running", "own busy")
                ui.link(visible(run[1]), f"/run/{run[0]}")
                tag("span", f"{len(answered):,} answered", "studio-quiet")
            with ui.element("ol").classes("studio-list"):
                for call in answered:
                    reply = shortened(call.reply or "", MAX_REPLY)
                    tag("li", f"{call.node}, {call.prompt} v{call.version}: {reply}", dir="auto")


EVERY = 1.0
SIZE = 200
"""Steps per page."""

FIRST = 'reasonloom call reasoning_linear \'{"content": "Why do ships float?"}\''


async def build_sessions(visit: Visit) -> None:
    """Draw the search and the list, redrawn as sessions change."""
    words = visit.query.get("q", "").strip()[:MAX_FIELD]
    heading("Sessions", "Each session is a series of thoughts. Open one to see its branches.")
    empty = bool(visit.query.get("empty"))
    with form("/sessions", "Search sessions"):
        forms_field("q", "Words, number or mode", words, search=True)
        choice(
            "empty", "Include", "on" if empty else "", {"": "with thoughts", "on": "all sessions"}
        )
    region = Region()

    async def draw() -> None:
        async with visit.context.begin() as tx:
            total = await sessions.count(tx, words, empty=empty)
            rows = await sessions.page(tx, words, PAGE_SIZE, page_offset(visit), empty=empty)
        with region.anew():
            _list(visit, words, rows, total)

    await Live(partial(visit.context.read, overview.sessions_mark), draw, every=EVERY).begin()


def _list(visit: Visit, words: str, rows: Sequence[ListedSession], total: int) -> None:
    if not total and words:
        empty_state("No session matches", "Search for fewer words, or for a session's number.")
        return
    if not total:
        empty_state("No sessions yet", "A mode of reasoning starts one:", command=FIRST)
        return
    heads = ("began with", "session", "mode", "project", "#thoughts", "#branches", "last written")
    table(f"{total:,} sessions, last written first. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/sessions", total, export="sessions")


def _row(row: ListedSession) -> tuple[Cell | str, ...]:
    return (
        Cell(shortened(row.began, 110) or "(no thoughts yet)", href=f"/session/{row.id}"),
        f"#{row.number}" + (f" {shortened(row.name, 24)}" if row.name else ""),
        row.mode or "–",
        row.project or "–",
        f"{row.thoughts:,}",
        f"{row.branches:,}",
        Cell(short_moment(row.updated_at), look="studio-quiet"),
    )


SESSIONS = StudioPage(
    "/sessions", "Sessions", "reasoning", build_sessions, "/sessions", icon="account_tree"
)


async def build_session(visit: Visit) -> None:
    """Draw the session, and open its last step."""
    await SessionView(visit, visit.uuid(SessionNotFound)).begin()


@dataclass
class SessionView:
    """One open page: its view of the session, and the selected step.

    `window` is the page of steps, None for the newest, which follows new steps.
    """

    visit: Visit
    session: UUID
    chosen: UUID | None = None
    window: int | None = None
    head: Region = field(init=False)
    graph: Region = field(init=False)
    panel: Region = field(init=False)

    async def begin(self) -> None:
        """Draw it, and follow changes."""
        self.head = Region()
        with ui.element("div").classes("studio-columns"):
            self.graph = Region("studio-card")
            self.panel = Region("studio-card studio-panel")
        self.chosen = parse_uuid(self.visit.query.get("thought", ""))
        if self.chosen is not None:
            await self._open(self.chosen)
        mark = partial(self.visit.context.read, overview.session_mark, self.session)
        await Live(mark, self._draw).begin()

    async def _draw(self) -> None:
        async with self.visit.context.begin() as tx:
            drawn = picture(await full_sessions.read_full(tx, str(self.session)))
            calls = await active_runs.answered_calls(tx, self.session)
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
            empty_state("No step yet", "It is updated while a run works.")
            return
        last = max(0, (len(steps) - 1) // SIZE)
        at = last if self.window is None else min(self.window, last)
        page_steps = steps[at * SIZE : (at + 1) * SIZE]
        if last:
            self._windows(at, last, len(steps))
        drawn = drawing("loom-lanes", lanes_drawing(page_steps, lanes, self.chosen))
        drawn.on("choose", lambda event: self._choose(event.args), js_handler=DETAIL)
        draw_active_runs(calls)

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

    async def _choose(self, thought: str) -> None:
        self.chosen = parse_uuid(thought)
        if self.chosen is not None:
            await self._open(self.chosen)
        await self._draw()

    async def _open(self, thought: UUID) -> None:
        found = await self.visit.context.read(thought_sources, thought)
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


SESSION = StudioPage("/session/{id}", "Session", "reasoning", build_session, "/sessions")
