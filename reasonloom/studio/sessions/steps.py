"""The steps of a session beside their lanes: each a button that opens it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from nicegui import ui

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.studio.sessions.lanes import Spot, drawing, width
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.nodes.sessions.picture import PicturedBranch, PicturedThought, SessionPicture

SIZE = 200
"""Steps of one page."""

LONGEST = 150


@dataclass(frozen=True, slots=True)
class Step:
    """One step with the branch that it stands on, and the lane of that branch."""

    thought: PicturedThought
    branch: PicturedBranch
    lane: int


def steps_of(picture: SessionPicture) -> list[Step]:
    """Return every step in the order in which it was stored."""
    found = [
        Step(thought, branch, lane)
        for lane, branch in enumerate(picture.branches)
        for thought in branch.thoughts
    ]
    return sorted(found, key=lambda step: step.thought.row.position)


def draw_steps(
    steps: Sequence[Step], lanes: int, chosen: UUID | None, choose: Callable[[UUID], object]
) -> None:
    """Draw steps beside their lanes; one that is pressed is handed to `choose`."""
    rows = {step.thought.row.id: row for row, step in enumerate(steps)}
    with ui.element("div").classes("studio-graph"):
        ui.html(drawing([_spot(step, rows) for step in steps], lanes), sanitize=False)
        frame = ui.element("ol").classes("studio-outline")
        frame.style(f"padding-left: {width(lanes)}px").props('aria-label="Steps"')
        with frame:
            for step in steps:
                _row(step, step.thought.row.id == chosen, choose)


def _spot(step: Step, rows: Mapping[UUID, int]) -> Spot:
    row = step.thought.row
    parent = rows.get(row.parent_id) if row.parent_id else None
    beyond = row.parent_id is not None and parent is None
    return Spot(rows[row.id], step.lane, parent, beyond, step.thought.is_head)


def _row(step: Step, chosen: bool, choose: Callable[[UUID], object]) -> None:
    row = step.thought.row
    with ui.element("li"):
        button = tag("button", "", "studio-step", type="button", aria_pressed=str(chosen).lower())
        button.on("click", lambda: choose(row.id))
    with button:
        tag("span", f"{row.position}", "studio-where")
        with tag("span", "", "studio-what"):
            tag("span", shortened(row.content or row.input, LONGEST), "studio-said", dir="auto")
            with tag("span", "", "studio-beside"):
                for text, tone in _tags(step):
                    tag("span", text, f"studio-mark {tone}")
                tag("span", _sure(step), "studio-sure")


def _tags(step: Step) -> list[tuple[str, str]]:
    checkpoints = [(f"⚑ {shortened(each.name, 24)}", "warn") for each in step.thought.checkpoints]
    if not step.thought.is_head:
        return checkpoints
    name = "main" if step.branch.row.parent_id is None and not step.branch.row.name else ""
    head = shortened(name or step.branch.name, 24)
    return [
        *checkpoints,
        (f"{step.branch.mark} {head}", "own" if step.branch.is_active else "quiet"),
    ]


def _sure(step: Step) -> str:
    judged = [
        f"{name} {value:.2f}" if isinstance(value, float) else f"{name} {value}"
        for name, value in step.thought.judged.items()
        if name == "score"
    ]
    return " · ".join([*judged, f"sure {step.thought.row.confidence:.2f}"])
