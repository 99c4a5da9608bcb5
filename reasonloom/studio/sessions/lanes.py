"""A session as a graph of lanes, one a branch, beside its steps: where each leaves another.

Rows have one height, so that one drawing stands beside all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reasonloom.studio.widgets.charts import SERIES

ROW = 68
"""Pixels of a row, as the style sheet has it."""

LANE = 18
MOST_LANES = 12
"""Lanes drawn apart; branches beyond share the last one."""

DOT, ROUND = 6, 14


@dataclass(frozen=True, slots=True)
class Spot:
    """One step in the drawing: its row from 0, its lane from 0, its parent's row if that is shown.

    `beyond` is True where the parent stands on an earlier page.
    """

    row: int
    lane: int
    parent: int | None
    beyond: bool = False
    is_head: bool = False


def width(lanes: int) -> int:
    """Return the pixels that so many lanes take."""
    return LANE * (min(lanes, MOST_LANES) + 1)


def drawing(spots: Sequence[Spot], lanes: int) -> str:
    """Return the SVG; it holds numbers alone, no text of anybody."""
    lane_of = {spot.row: spot.lane for spot in spots}
    lines = [line for spot in spots for line in _lines(spot, lane_of)]
    dots = [_dot(spot) for spot in spots]
    height = ROW * len(spots)
    return (
        f'<svg class="studio-lanes" width="{width(lanes)}" height="{height}" '
        f'viewBox="0 0 {width(lanes)} {height}" aria-hidden="true" focusable="false">'
        f"{''.join(lines)}{''.join(dots)}</svg>"
    )


def _x(lane: int) -> int:
    return LANE * (min(lane, MOST_LANES - 1) + 1) - LANE // 2 + 2


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
