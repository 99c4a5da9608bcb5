"""Charts: one place that makes them safe for any text, named, and alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from reasonloom.studio.widgets.elements import visible

SERIES = ("#3b6ea5", "#c77d1e", "#3f8f6b", "#9a5ba5", "#b8483f", "#6c7a89", "#8a8f2a", "#2d8c9c")
"""Colours of series, apart also for who sees few colours, on light and on dark."""

INK = "#7c848e"
"""Lines and letters, 4.5 to 1 against neither ground alone but legible on both."""

LETTERS = {"fontFamily": "system-ui, sans-serif", "color": INK}
BRACES = str.maketrans("{}", "()")
AXES = ("xAxis", "yAxis")


def drawable(text: str) -> str:
    """Return a text of others as a chart takes it: words in braces are the chart's own."""
    return visible(text).translate(BRACES)


def chart(
    options: dict[str, Any],
    label: str,
    *,
    height: str = "22rem",
    on_click: Callable[[Any], Any] | None = None,
) -> ui.echart:
    """Draw a chart; `label` says in words what it shows, to who cannot see it.

    Texts of others are drawn by the canvas, in tooltips too, and never read as HTML.
    """
    tooltip = {"confine": True, **options.get("tooltip", {}), "renderMode": "richText"}
    whole = {
        "color": list(SERIES),
        "textStyle": LETTERS,
        "animation": False,
        "backgroundColor": "transparent",
        **options,
        "tooltip": tooltip,
        **{name: _inked(options[name]) for name in AXES if name in options},
    }
    drawn = ui.echart(whole, on_point_click=on_click).classes("studio-chart")
    drawn.style(f"height: {height}").props["role"] = "img"
    drawn.props["aria-label"] = label
    return drawn


def _inked(axis: dict[str, Any]) -> dict[str, Any]:
    """Return an axis whose words can be read on light and on dark."""
    return {**axis, "axisLabel": {"color": INK, **axis.get("axisLabel", {})}}
