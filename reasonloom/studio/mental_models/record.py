"""Basins as a table; a model's accuracy and calibration."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from reasonloom.nodes.mental_models.accuracy import Figures, wilson_interval
from reasonloom.stores.mental_models.basin_lists import ListedBasin
from reasonloom.stores.mental_models.predictions import STEPS, CalibrationStep
from reasonloom.studio.widgets.charts import INK, SERIES, chart
from reasonloom.studio.widgets.elements import Cell, short_moment, table, tag
from reasonloom.text.shortening import shortened

WORDS = 8


def basin_rows(caption: str, rows: Sequence[ListedBasin]) -> None:
    """Draw basins, each linked to the list of its memories."""
    heads = ("basin", "words", "#memories", "#coherence", "#models", "changed")
    table(caption, heads, map(_basin_rows_row, rows))


def _basin_rows_row(row: ListedBasin) -> tuple[Cell | str, ...]:
    return (
        Cell(shortened(row.name, 60), href=members_link(row)),
        Cell(_words(row), look="studio-roomy"),
        f"{row.members:,}",
        f"{row.coherence:.2f}",
        f"{row.models:,}",
        Cell(short_moment(row.updated_at), look="studio-quiet studio-nowrap"),
    )


def _words(row: ListedBasin) -> str:
    return ", ".join(shortened(word, 30) for word in row.keywords[:WORDS]) or "–"


def members_link(row: ListedBasin) -> str:
    """Return the address of the list of a basin's memories."""
    return f"/memory?{urlencode({'cluster': row.id, 'kinds': 'all'})}"


STATUS_TONES = {"active": "good", "draft": "warn", "deprecated": "quiet"}
READING = (
    "Each point gathers the resolved predictions of a tenth of confidence, the larger the more. "
    "On the dashed diagonal confidence is right; below it the model was too sure. Thin lines are "
    "95 % intervals."
)


def accuracy_text(figures: Figures) -> str:
    """Return the accuracy with its interval."""
    ends = figures["accuracy_interval"]
    if ends is None:
        return "none resolved"
    return f"{figures['prediction_accuracy']:.0%} ({ends[0]:.0%} to {ends[1]:.0%})"


def draw_calibration(steps: Sequence[CalibrationStep]) -> None:
    """Draw predicted confidence against the share that held, and the numbers."""
    if not steps:
        tag("p", "No prediction is resolved: there is nothing to compare yet.", "studio-quiet")
        return
    count = sum(step.resolved for step in steps)
    label = f"Calibration of {count:,} resolved predictions, numbers in the table below"
    chart(_options(steps), label, height="22rem")
    tag("p", READING, "studio-quiet studio-small")
    heads = ("confidence", "#mean", "#resolved", "#held", "share that held")
    table(f"{count:,} resolved predictions.", heads, map(_row, steps))


def _options(steps: Sequence[CalibrationStep]) -> dict[str, Any]:
    most = max(step.resolved for step in steps)
    return {
        "grid": {"left": 52, "right": 24, "top": 20, "bottom": 46},
        "xAxis": _axis("predicted confidence", 28),
        "yAxis": _axis("share that held", 36),
        "tooltip": {"trigger": "item", "formatter": "{b}"},
        "series": [
            {
                "type": "line",
                "name": "perfect",
                "silent": True,
                "showSymbol": False,
                "lineStyle": {"type": "dashed", "color": INK},
                "data": [[0, 0], [1, 1]],
            },
            *[_interval(step) for step in steps],
            {
                "type": "scatter",
                "name": "held",
                "itemStyle": {"color": SERIES[0]},
                "data": [_dot(step, most) for step in steps],
            },
        ],
    }


def _axis(name: str, gap: int) -> dict[str, Any]:
    faint = {"lineStyle": {"color": INK, "opacity": 0.2}}
    return {
        "type": "value",
        "min": 0,
        "max": 1,
        "name": name,
        "nameLocation": "middle",
        "nameGap": gap,
        "splitLine": faint,
        "axisLabel": {"color": INK},
    }


def _interval(step: CalibrationStep) -> dict[str, Any]:
    low, high = wilson_interval(step.correct, step.resolved)
    return {
        "type": "line",
        "silent": True,
        "showSymbol": False,
        "lineStyle": {"color": SERIES[0], "width": 1.5, "opacity": 0.6},
        "data": [[step.confidence, low], [step.confidence, high]],
    }


def _dot(step: CalibrationStep, most: int) -> dict[str, Any]:
    label = f"confidence {step.confidence:.2f}: {step.correct:,} of {step.resolved:,} held"
    return {
        "name": label,
        "value": [round(step.confidence, 4), round(step.share, 4)],
        "symbolSize": round(9 + 15 * (step.resolved / most) ** 0.5, 1),
    }


def _row(step: CalibrationStep) -> tuple[str, ...]:
    low, high = wilson_interval(step.correct, step.resolved)
    return (
        f"{step.step / STEPS:.1f} to {(step.step + 1) / STEPS:.1f}",
        f"{step.confidence:.2f}",
        f"{step.resolved:,}",
        f"{step.correct:,}",
        f"{step.share:.0%} ({low:.0%} to {high:.0%})",
    )
