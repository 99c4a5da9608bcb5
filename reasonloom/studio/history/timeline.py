"""Past sessions on a timeline: a point each, or counts by time span if there are many."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from nicegui.events import EChartPointClickEventArguments

from reasonloom.stores.history.chunk_lists import SessionRow
from reasonloom.studio.widgets.charts import INK, SERIES, chart, drawable
from reasonloom.studio.widgets.elements import table, tag
from reasonloom.text.shortening import shortened

MAX_POINTS = 500
MAX_BARS = 120
FORMS = ("%Y-%m-%d", "%Y week %W", "%Y-%m", "%Y")

Choose = Callable[["SessionRow"], Any]


def draw_timeline(rows: Sequence[SessionRow], choose: Choose) -> None:
    """Draw the dated sessions; a selected one is passed to `choose`."""
    dated = [row for row in rows if row.started_at is not None]
    if len(dated) < len(rows):
        tag("p", f"{len(rows) - len(dated):,} have no time and are only in the list below.")
    if not dated:
        return
    if len(dated) <= MAX_POINTS:
        _points(dated, choose)
    else:
        _bars(dated)


def _points(rows: Sequence[SessionRow], choose: Choose) -> None:
    def chosen(event: EChartPointClickEventArguments) -> None:
        choose(rows[event.data_index])

    most = max(row.tokens for row in rows)
    options = {
        **_frame("time", "pieces"),
        "tooltip": {"trigger": "item", "formatter": "{b}"},
        "series": [{"type": "scatter", "data": [_dot(row, most) for row in rows]}],
    }
    label = f"{len(rows):,} sessions by when they began and how many pieces each has; listed below"
    chart(options, label, height="16rem", on_click=chosen)
    legend = (
        "Each point is a session; a larger one has more tokens. Select one to read it."
        " Times are UTC."
    )
    tag("p", legend, "studio-quiet studio-small")


def _dot(row: SessionRow, most: int) -> dict[str, Any]:
    begun = _begun(row)
    name = drawable(shortened(row.session, 40))
    return {
        "name": f"{name}\n{begun:%Y-%m-%d %H:%M}, {row.chunks:,} pieces, {row.tokens:,} tokens",
        "value": [int(begun.timestamp() * 1000), row.chunks],
        "symbolSize": round(8 + 18 * (row.tokens / max(1, most)) ** 0.5, 1),
        "itemStyle": {"color": SERIES[0], "opacity": 0.7},
    }


def _bars(rows: Sequence[SessionRow]) -> None:
    spans = spans_of(rows)
    options = {
        **_frame("category", "sessions"),
        "tooltip": {"trigger": "axis"},
        "series": [{"type": "bar", "name": "sessions", "data": list(spans.values())}],
    }
    options["xAxis"]["data"] = list(spans)
    chart(options, f"{len(rows):,} sessions, counted by {len(spans):,} spans", height="16rem")
    tag("p", f"{len(rows):,} sessions, counted by when they began.", "studio-quiet studio-small")
    with tag("details", "", "studio-fold"):
        tag("summary", "The counts as a table")
        counted = [(span, f"{count:,}") for span, count in spans.items()]
        table("Sessions begun, times are UTC.", ("when", "#sessions"), counted)


def spans_of(rows: Sequence[SessionRow]) -> dict[str, int]:
    """Return counts by day, week, month or year: the finest with at most MAX_BARS bars."""
    times = sorted(_begun(row) for row in rows)
    counted: Counter[str] = Counter()
    for form in FORMS:
        counted = Counter(f"{at:{form}}" for at in times)
        if len(counted) <= MAX_BARS:
            break
    return dict(counted)


def _begun(row: SessionRow) -> datetime:
    assert row.started_at is not None  # noqa: S101 - only these are drawn
    return row.started_at.astimezone(UTC)


def _frame(kind: str, counted: str) -> dict[str, Any]:
    faint = {"lineStyle": {"color": INK, "opacity": 0.25}}
    ink = {"color": INK}
    return {
        "useUTC": True,
        "grid": {"left": 48, "right": 24, "top": 36, "bottom": 34},
        "xAxis": {"type": kind, "axisLabel": ink},
        "yAxis": {
            "type": "value",
            "name": counted,
            "minInterval": 1,
            "splitLine": faint,
            "axisLabel": ink,
        },
    }
