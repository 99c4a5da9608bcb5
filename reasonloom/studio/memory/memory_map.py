"""The map of memories: a point each, close to similar ones, coloured by group."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
from nicegui.events import EChartPointClickEventArguments

from reasonloom.stores.mental_models.basin_memories import Point, Vectors
from reasonloom.studio.widgets.charts import INK, SERIES, chart, drawable
from reasonloom.studio.widgets.elements import table, tag, visible
from reasonloom.text.shortening import shortened

FEWEST = 3
"""The fewest points worth projecting."""


class Projection(NamedTuple):
    """Points, one per row, and the share of variance that each of the two axes retains, 0..1."""

    points: Vectors
    kept: tuple[float, float]


def project(vectors: Vectors) -> Projection:
    """Return the normalised vectors on their two principal axes (Pearson 1901).

    The sign of an axis is arbitrary: its largest weight is made positive, so that the same
    vectors always give the same picture.
    """
    if len(vectors) < FEWEST:
        line = [[float(place), 0.0] for place in range(len(vectors))]
        return Projection(np.array(line, dtype=np.float32).reshape(-1, 2), (0.0, 0.0))
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    centred = vectors / lengths
    centred -= centred.mean(axis=0)
    spread, axes = np.linalg.eigh(centred.T @ centred)
    first = axes[:, ::-1][:, :2]
    first = first * np.sign(first[np.abs(first).argmax(axis=0), [0, 1]])
    whole = max(float(spread.sum()), 1e-12)
    kept = (float(spread[-1]) / whole, float(spread[-2]) / whole)
    return Projection((centred @ first).astype(np.float32), kept)


SHAPES = ("circle", "triangle", "rect", "diamond", "roundRect", "pin", "arrow")
"""Each group has its own shape as well as colour."""

REST, NONE = "all others", "none"
LINE = 46
FEW, MANY = 300, 1_500

LEGEND = {
    "type": "scroll",
    "top": 4,
    "left": 4,
    "right": 4,
    "itemWidth": 12,
    "itemHeight": 10,
    "textStyle": {"color": INK},
}

Groups = Mapping[str, Sequence[int]]


def grouped(names: Sequence[str | None]) -> dict[str, list[int]]:
    """Return the indices of each name, the most frequent first; rare names form one group."""
    counted = Counter(name for name in names if name)
    common = {name for name, _ in counted.most_common(len(SHAPES))}
    groups: dict[str, list[int]] = {name: [] for name, _ in counted.most_common(len(SHAPES))}
    for place, name in enumerate(names):
        group = name if name in common else REST if name else NONE
        groups.setdefault(str(group), []).append(place)
    return groups


def draw_map(
    points: Sequence[Point], flat: Projection, groups: Groups, choose: Callable[[int], Any]
) -> None:
    """Draw the points; the id of a selected memory is passed to `choose`."""
    places = list(groups.values())

    async def chosen(event: EChartPointClickEventArguments) -> None:
        await choose(points[places[event.series_index][event.data_index]].id)

    series = [
        _series(number, name, [_dot(points[at], flat.points[at]) for at in places], len(points))
        for number, (name, places) in enumerate(groups.items())
    ]
    options = {
        "grid": {"left": 8, "right": 8, "top": 46, "bottom": 8},
        "legend": LEGEND,
        "xAxis": _axis(),
        "yAxis": _axis(),
        "dataZoom": [
            {"type": "inside", axis: 0, "zoomOnMouseWheel": "ctrl", "moveOnMouseWheel": False}
            for axis in ("xAxisIndex", "yAxisIndex")
        ],
        "tooltip": {"trigger": "item", "formatter": "{b}"},
        "series": series,
    }
    label = f"Map of {len(points):,} memories in {len(groups):,} groups, counted in the table below"
    chart(options, label, height="min(30rem, 80vh)", on_click=chosen)


def counted(groups: Groups, what: str) -> None:
    """Draw how many points each group has."""
    with tag("details", "", "studio-fold"):
        tag("summary", f"The groups in numbers, by {what}")
        rows = [(name, f"{len(places):,}") for name, places in groups.items()]
        table("Points drawn.", (what, "#memories"), rows)


def _axis() -> dict[str, Any]:
    return {"type": "value", "show": False, "scale": True}


def _dot(point: Point, at: Any) -> dict[str, Any]:
    excerpt = "\n".join(wrap(drawable(shortened(point.content, 92)), LINE, max_lines=3))
    return {
        "name": f"mem-{point.id} ({point.sector})\n{excerpt}",
        "value": [round(float(at[0]), 4), round(float(at[1]), 4)],
    }


def _series(number: int, name: str, dots: Sequence[Any], total: int) -> dict[str, Any]:
    rest = name in (REST, NONE)
    label = shortened(visible(name), 36)
    return {
        "type": "scatter",
        "name": label,
        "data": dots,
        "z": 1 if rest else 3,
        "symbol": "circle" if rest else SHAPES[number % len(SHAPES)],
        "symbolSize": 11 if total <= FEW else 8 if total <= MANY else 6,
        "itemStyle": {"color": INK, "opacity": 0.3}
        if rest
        else {"color": SERIES[number % len(SERIES)], "opacity": 0.75},
        "emphasis": {"scale": 1.8},
    }
