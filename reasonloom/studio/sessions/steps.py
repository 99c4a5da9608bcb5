"""The steps of a session as buttons, next to their branches as lanes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from nicegui import ui

from reasonloom.nodes.sessions.picture import PicturedBranch, PicturedThought, SessionPicture
from reasonloom.studio.widgets.charts import SERIES
from reasonloom.studio.widgets.elements import tag
from reasonloom.text.shortening import shortened

# All rows have the same height, so that one drawing aligns with them.

ROW = 68
"""Pixels of a row, as in the style sheet."""

LANE = 18
MAX_LANES = 12
"""Maximum lanes; further branches share the last one."""

DOT, ROUND = 6, 14


@dataclass(frozen=True, slots=True)
class Spot:
    """One step in the drawing: its row and lane from 0, and its parent's row if on the same page.

    `beyond` is True if the parent is on another page.
    """

    row: int
    lane: int
    parent: int | None
    beyond: bool = False
    is_head: bool = False


def lanes_width(lanes: int) -> int:
    """Return the width of so many lanes, in pixels."""
    return LANE * (min(lanes, MAX_LANES) + 1)


def draw_lanes(spots: Sequence[Spot], lanes: int) -> str:
    """Return the SVG, which contains numbers only, no text of users."""
    lane_of = {spot.row: spot.lane for spot in spots}
    lines = [line for spot in spots for line in _lines(spot, lane_of)]
    dots = [_dot(spot) for spot in spots]
    height = ROW * len(spots)
    return (
        f'<svg class="studio-lanes" width="{lanes_width(lanes)}" height="{height}" '
        f'viewBox="0 0 {lanes_width(lanes)} {height}" aria-hidden="true" focusable="false">'
        f"{''.join(lines)}{''.join(dots)}</svg>"
    )


def _x(lane: int) -> int:
    return LANE * (min(lane, MAX_LANES - 1) + 1) - LANE // 2 + 2


def _y(row: int) -> int:
    return ROW * row + ROW // 2


def _colour(lane: int) -> str:
    return SERIES[lane % len(SERIES)]


def _lines(spot: Spot, lane_of: Mapping[int, int]) -> list[str]:
    x, y = _x(spot.lane), _y(spot.row)
    if spot.parent is None:
        return [_path(f"M{x} 0V{y}", spot.lane, faint=True)] if spot.beyond else []
    there = _x(lane_of[spot.parent])
    top = _y(spot.parent)
    if there == x:
        return [_path(f"M{x} {top}V{y}", spot.lane)]
    bend = f"M{there} {top}C{there} {top + ROUND * 2} {x} {top + ROUND} {x} {top + ROUND * 3}V{y}"
    return [_path(bend, spot.lane)]


def _path(way: str, lane: int, *, faint: bool = False) -> str:
    dashed = ' stroke-dasharray="3 4"' if faint else ""
    return f'<path d="{way}" fill="none" stroke="{_colour(lane)}" stroke-width="2.5"{dashed}/>'


def _dot(spot: Spot) -> str:
    colour = _colour(spot.lane)
    fill = colour if spot.is_head else "var(--card)"
    return (
        f'<circle cx="{_x(spot.lane)}" cy="{_y(spot.row)}" r="{DOT}" fill="{fill}" '
        f'stroke="{colour}" stroke-width="2.5"/>'
    )


SIZE = 200
"""Steps per page."""

LONGEST = 150


@dataclass(frozen=True, slots=True)
class Step:
    """One step with its branch, and the lane of that branch."""

    thought: PicturedThought
    branch: PicturedBranch
    lane: int


def steps_of(picture: SessionPicture) -> list[Step]:
    """Return all steps in the order in which they were stored."""
    found = [
        Step(thought, branch, lane)
        for lane, branch in enumerate(picture.branches)
        for thought in branch.thoughts
    ]
    return sorted(found, key=lambda step: step.thought.row.position)


def draw_steps(
    steps: Sequence[Step], lanes: int, chosen: UUID | None, choose: Callable[[UUID], object]
) -> None:
    """Draw steps next to their lanes; a selected one is passed to `choose`."""
    rows = {step.thought.row.id: row for row, step in enumerate(steps)}
    with ui.element("div").classes("studio-graph"):
        ui.html(draw_lanes([_spot(step, rows) for step in steps], lanes), sanitize=False)
        frame = ui.element("ol").classes("studio-outline")
        frame.style(f"padding-left: {lanes_width(lanes)}px").props('aria-label="Steps"')
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
