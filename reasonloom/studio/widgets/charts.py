"""Charts with a common style, accessible labels, and safe texts."""

from collections.abc import Callable
from typing import Any

from nicegui import ui

from reasonloom.studio.widgets.elements import visible

SERIES = ("#3b6ea5", "#c77d1e", "#3f8f6b", "#9a5ba5", "#b8483f", "#6c7a89", "#8a8f2a", "#2d8c9c")
"""Colours of series, distinguishable with colour blindness, on light and dark."""

INK = "#7c848e"
"""Colour of lines and text, legible on light and dark."""

LETTERS = {"fontFamily": "system-ui, sans-serif", "color": INK}
BRACES = str.maketrans("{}", "()")
AXES = ("xAxis", "yAxis")


def drawable(text: str) -> str:
    """Return a text for a chart, with braces, which mark the chart's variables, replaced."""
    return visible(text).translate(BRACES)


def chart(
    options: dict[str, Any],
    label: str,
    *,
    height: str = "22rem",
    on_click: Callable[[Any], Any] | None = None,
) -> ui.echart:
    """Draw a chart; `label` describes it for screen readers.

    Texts are drawn on the canvas, including tooltips, and never parsed as HTML.
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


def _inked(axis: Any) -> Any:
    """Return an axis, or a list of them, with labels legible on light and dark."""
    if isinstance(axis, list):
        return [_inked(each) for each in axis]
    return {**axis, "axisLabel": {"color": INK, **axis.get("axisLabel", {})}}
